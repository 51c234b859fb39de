/** Where spans go. `off` says why, where somebody asked for them and can't have them. */
export type TracingSettings =
  { readonly kind: 'off'; readonly because?: string } | { readonly kind: 'otlp' };

/** The one encoding that is spoken here; every OpenTelemetry collector takes it on its port for HTTP. */
const PROTOCOL = 'http/json';

/**
 * Reads OpenTelemetry's own variables. Off unless an endpoint is named; what can't be used switches it off as well, and is
 * said in the log: whoever can't trace can still work.
 *
 * @param read a variable of the environment; undefined when it is absent or empty.
 */
export const tracingSettings = (read: (name: string) => string | undefined): TracingSettings => {
  const endpoint =
    read('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') ?? read('OTEL_EXPORTER_OTLP_ENDPOINT');
  if (endpoint === undefined || read('OTEL_SDK_DISABLED')?.toLowerCase() === 'true')
    return { kind: 'off' };
  const exporter = read('OTEL_TRACES_EXPORTER') ?? 'otlp';
  if (exporter === 'none') return { kind: 'off' };
  if (exporter !== 'otlp') return off('OTEL_TRACES_EXPORTER must be otlp or none');
  const protocol =
    read('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL') ?? read('OTEL_EXPORTER_OTLP_PROTOCOL') ?? PROTOCOL;
  if (protocol !== PROTOCOL)
    return off(`OTEL_EXPORTER_OTLP_PROTOCOL must be ${PROTOCOL}, or be left out`);
  // The value is not named: an address may hold a password.
  if (!/^https?:$/.test(protocolOf(endpoint)))
    return off('the OTLP endpoint is no http:// or https:// address');
  return { kind: 'otlp' };
};

const off = (because: string): TracingSettings => ({ kind: 'off', because });

const protocolOf = (address: string): string =>
  URL.canParse(address) ? new URL(address).protocol : '';
