import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A span as a receiver of OTLP over HTTP got it. */
export interface ReceivedSpan {
  readonly service: string;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Empty where it begins a trace. */
  readonly parentSpanId: string;
  readonly facts: Readonly<Record<string, string>>;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
}

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}
interface ExportRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly {
      readonly spans: readonly {
        readonly name: string;
        readonly traceId: string;
        readonly spanId: string;
        readonly parentSpanId?: string;
        readonly attributes: readonly Attribute[];
        readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
      }[];
    }[];
  }[];
}

/** Takes spans as a collector does: OTLP over HTTP, in JSON. */
export class SpanReceiver {
  readonly spans: ReceivedSpan[] = [];
  /** Everything that was ever received, as it was sent. */
  readonly bodies: string[] = [];
  /** Takes what is sent and answers nothing, as a receiver that hangs does. */
  hangs = false;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<SpanReceiver> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        receiver.take(Buffer.concat(chunks).toString('utf8'));
        if (receiver.hangs) return;
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end('{}');
      });
    });
    const receiver = new SpanReceiver(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${String((this.server.address() as AddressInfo).port)}`;
  }

  /** Takes no more connections, and ends those that there are. */
  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise<void>((resolve) => {
      this.server.close(() => {
        resolve();
      });
    });
  }

  private take(body: string): void {
    this.bodies.push(body);
    const { resourceSpans } = JSON.parse(body) as ExportRequest;
    for (const { resource, scopeSpans } of resourceSpans) {
      const service = factsOf(resource.attributes)['service.name'] ?? '';
      for (const span of scopeSpans.flatMap(({ spans }) => spans)) {
        const { name, traceId, spanId, parentSpanId = '', attributes, links = [] } = span;
        const facts = factsOf(attributes);
        this.spans.push({ service, name, traceId, spanId, parentSpanId, facts, links });
      }
    }
  }
}

const factsOf = (attributes: readonly Attribute[]): Record<string, string> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, String(Object.values(value)[0])]));
