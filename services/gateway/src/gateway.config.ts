import { readServiceConfig, type EnvironmentReader, type ServiceConfig } from '#platform';

/** What a gateway is told. */
export interface GatewayConfig extends ServiceConfig {
  /** Where callers come in; 0 = any free port. */
  readonly port: number;
  /** The loopback interface unless somebody puts a proxy with TLS in front. */
  readonly host: string;
}

export const readGatewayConfig = (reader: EnvironmentReader): GatewayConfig => ({
  ...readServiceConfig(reader, 'gateway'),
  port: reader.integer('HOLDFAST_PORT', 7_420, [0, 65_535]),
  host: reader.text('HOLDFAST_HOST', '127.0.0.1'),
});
