import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import helmet from '@fastify/helmet';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** A file of the built dashboard, ready to be sent. */
interface ServedFile {
  readonly body: Buffer;
  readonly type: string;
  readonly etag: string;
  readonly cacheControl: string;
}

/** The most that a built dashboard may have, in bytes: it lies in memory, where nothing outside of it can be reached. */
const DASHBOARD_BYTES_MAX = 32 * 1024 * 1024;

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.json': 'application/json',
  '.map': 'application/json',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};

/** The names of hashed files change with their content, so that a browser never has to ask again. */
const HASHED_FOLDER = '/assets/';
const FOR_EVER = 'public, max-age=31536000, immutable';

/** The built dashboard: its files by address. Empty when it was not built. */
export class Dashboard {
  private constructor(private readonly files: ReadonlyMap<string, ServedFile>) {}

  static readonly none = new Dashboard(new Map());

  /**
   * Reads a built dashboard; what it needs later it has then.
   *
   * @throws Error it is larger than {@link DASHBOARD_BYTES_MAX}.
   */
  static in(folder: string): Dashboard {
    if (!existsSync(join(folder, 'index.html'))) return Dashboard.none;
    const files = new Map<string, ServedFile>();
    let bytes = 0;
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      const path = join(folder, name);
      if (!statSync(path).isFile()) continue;
      const file = served(`/${relative(folder, path).split(sep).join('/')}`, readFileSync(path));
      bytes += file.body.length;
      if (bytes > DASHBOARD_BYTES_MAX) throw new Error(`the dashboard in ${folder} is too large`);
      files.set(file.address, file);
    }
    return new Dashboard(files);
  }

  get isBuilt(): boolean {
    return this.files.size > 0;
  }

  get addresses(): readonly string[] {
    return [...this.files.keys()];
  }

  /** Sends a file; any address that is none is a page of the dashboard, which finds its own way. */
  send(address: string, request: FastifyRequest, reply: FastifyReply): void {
    const file = this.files.get(address) ?? this.files.get('/index.html');
    if (file === undefined) throw new Error('bug: there is no dashboard to send');
    void reply.headers({ etag: file.etag, 'cache-control': file.cacheControl });
    if (request.headers['if-none-match'] === file.etag) void reply.status(304).send();
    else void reply.status(200).type(file.type).send(file.body);
  }
}
export const DASHBOARD = Symbol('Dashboard');

const served = (address: string, body: Buffer): ServedFile & { readonly address: string } => ({
  address,
  body,
  type: TYPES[extname(address)] ?? 'application/octet-stream',
  etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`,
  cacheControl: address.startsWith(HASHED_FOLDER) ? FOR_EVER : 'no-cache',
});

/** Only what the gateway itself serves may run, and nothing may frame it. */
const POLICY = {
  'default-src': ["'none'"],
  'script-src': ["'self'"],
  'style-src': ["'self'"],
  'img-src': ["'self'", 'data:'],
  'font-src': ["'self'"],
  'connect-src': ["'self'"],
  'manifest-src': ["'self'"],
  'base-uri': ["'none'"],
  'form-action': ["'none'"],
  'frame-ancestors': ["'none'"],
};

/** Serves the dashboard at `/`; without one, `/` says how to get it. */
export const serveDashboard = async (
  app: NestFastifyApplication,
  dashboard: Dashboard,
): Promise<void> => {
  await app.register(helmet, {
    contentSecurityPolicy: { useDefaults: false, directives: POLICY },
    strictTransportSecurity: false, // TLS is the business of whoever puts a proxy in front.
    referrerPolicy: { policy: 'no-referrer' },
  });
  const instance = app.getHttpAdapter().getInstance();
  if (!dashboard.isBuilt)
    instance.get('/', (_request, reply) =>
      reply.status(404).type('text/plain; charset=utf-8').send(NOT_BUILT),
    );
  else
    for (const address of ['/', ...dashboard.addresses])
      instance.get(address, (request, reply) => dashboard.send(address, request, reply));
};

/** Whether a request for an unknown address is a browser that wants a page of the dashboard. */
export const wantsPage = (request: FastifyRequest): boolean =>
  request.method === 'GET' &&
  !/^\/(v1|assets)(\/|$)/.test(request.url) &&
  /(^|[\s,])text\/html\b/i.test(request.headers.accept ?? '');

const NOT_BUILT = `Holdfast is running. Its dashboard has not been built.
Build it with: npm run build
The API is at /v1, its description at /openapi.json.
`;
