import { Controller, Inject } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { AdvanceRequest, accept, validate } from '#contracts/requests';
import { RunSaga } from '#runs/saga';
import { SessionSaga } from '#sessions/saga';
import { SpawnSaga } from '#spawns/saga';
import { StopSaga } from '#stops/saga';

/** The aggregate has been moved as far as it goes now. */
interface Advanced {
  readonly advanced: true;
}

/** What the reconciler asks for: the same steps that an event leads to. */
@Controller()
export class AdvanceController {
  constructor(
    @Inject(RunSaga) private readonly runs: RunSaga,
    @Inject(SessionSaga) private readonly sessions: SessionSaga,
    @Inject(StopSaga) private readonly stops: StopSaga,
    @Inject(SpawnSaga) private readonly spawns: SpawnSaga,
  ) {}

  @MessagePattern('hf.cmd.runs.advance')
  async run(@Payload() body: unknown): Promise<Advanced> {
    const { workspace, id, doubt } = accept(validate(AdvanceRequest, body));
    await this.runs.advance(workspace, id, doubt ?? null);
    return { advanced: true };
  }

  @MessagePattern('hf.cmd.sessions.advance')
  async session(@Payload() body: unknown): Promise<Advanced> {
    const { workspace, id } = accept(validate(AdvanceRequest, body));
    await this.sessions.advance(workspace, id, true);
    return { advanced: true };
  }

  @MessagePattern('hf.cmd.stops.advance')
  async stop(@Payload() body: unknown): Promise<Advanced> {
    const { workspace, id } = accept(validate(AdvanceRequest, body));
    await this.stops.advance(workspace, id);
    return { advanced: true };
  }

  @MessagePattern('hf.cmd.spawns.advance')
  async spawn(@Payload() body: unknown): Promise<Advanced> {
    const { workspace, id } = accept(validate(AdvanceRequest, body));
    await this.spawns.advance(workspace, id);
    return { advanced: true };
  }
}
