import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { METRICS, type Metrics } from '#platform';
import { GatewayReadiness } from './health/readiness.js';
import { RequestTimes } from './health/request-times.js';
import { SystemLook } from './health/system-look.js';
import { ProblemFilter } from './http/problem.filter.js';
import { REPORT_BUG, type ReportBug } from './http/report-bug.js';
import { RouteTable } from './http/route-table.js';
import { DASHBOARD, type Dashboard } from './dashboard/dashboard.js';
import { OpenApi } from './openapi/openapi.js';
import { ChangesController } from './routes/changes.controller.js';
import { CommandsController } from './routes/commands.controller.js';
import { DirectoryController } from './routes/directory.controller.js';
import { HealthController } from './routes/health.controller.js';
import { NodeServiceController } from './routes/node-service.controller.js';
import { RunsController } from './routes/runs.controller.js';
import { SpawnsController } from './routes/spawns.controller.js';
import { SystemController } from './routes/system.controller.js';
import { ChangeStreams } from './streams/change.streams.js';
import { RunOutputStreams } from './streams/run-output.stream.js';
import { STREAM_PACE, type StreamPace } from './streams/stream-pace.js';
import { StreamRegistry } from './streams/stream-registry.js';
import { Identities } from './upstream/identities.js';
import { ServiceClient } from './upstream/service.client.js';
import {
  UPSTREAM,
  UPSTREAM_PATIENCE,
  type Upstream,
  type UpstreamPatience,
} from './upstream/upstream.js';

/** What a gateway is made of besides itself. */
export interface GatewayParts {
  readonly upstream: Upstream;
  readonly patience: UpstreamPatience;
  readonly pace: StreamPace;
  readonly readiness: GatewayReadiness;
  readonly metrics: Metrics;
  readonly times: RequestTimes;
  readonly reportBug: ReportBug;
  readonly routes: RouteTable;
  readonly dashboard: Dashboard;
}

@Module({})
export class GatewayModule {
  static of(parts: GatewayParts): DynamicModule {
    return {
      module: GatewayModule,
      controllers: [
        CommandsController,
        RunsController,
        SpawnsController,
        NodeServiceController,
        DirectoryController,
        ChangesController,
        SystemController,
        HealthController,
      ],
      providers: [...given(parts), ...OWN],
    };
  }
}

const OWN: readonly Provider[] = [
  ServiceClient,
  Identities,
  StreamRegistry,
  RunOutputStreams,
  ChangeStreams,
  OpenApi,
  SystemLook,
  { provide: APP_FILTER, useClass: ProblemFilter },
];

const given = (parts: GatewayParts): readonly Provider[] => [
  { provide: UPSTREAM, useValue: parts.upstream },
  { provide: UPSTREAM_PATIENCE, useValue: parts.patience },
  { provide: STREAM_PACE, useValue: parts.pace },
  { provide: GatewayReadiness, useValue: parts.readiness },
  { provide: METRICS, useValue: parts.metrics },
  { provide: RequestTimes, useValue: parts.times },
  { provide: REPORT_BUG, useValue: parts.reportBug },
  { provide: RouteTable, useValue: parts.routes },
  { provide: DASHBOARD, useValue: parts.dashboard },
];
