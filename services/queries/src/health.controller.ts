import { Controller, Inject } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import type { ReadSideHealthView } from '#contracts';
import { Database } from '#postgres';
import { ProjectionPositions } from './projection-positions.js';

/** Tells gateways whether there is anything to read from. Needs no token: it tells nothing of any workspace. */
@Controller()
export class HealthController {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(ProjectionPositions) private readonly positions: ProjectionPositions,
  ) {}

  @MessagePattern('hf.qry.health.get')
  async get(): Promise<ReadSideHealthView> {
    if (!(await this.database.isReachable())) return { postgres: false, lagMs: null, findings: [] };
    const projections = await this.positions.all();
    return {
      postgres: true,
      lagMs: Math.max(0, ...projections.map(({ lagMs }) => lagMs)),
      findings: projections.flatMap(({ name, finding }) =>
        finding === null ? [] : [`${name}: ${finding}`],
      ),
    };
  }
}
