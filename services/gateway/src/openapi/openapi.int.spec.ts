import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FakeUpstream, GatewayUnderTest } from '../gateway.fixture.js';

interface Operation {
  readonly summary?: string;
  readonly operationId?: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: unknown;
  readonly responses: Readonly<Record<string, unknown>>;
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

let gateway: GatewayUnderTest;
let document: Document;
beforeAll(async () => {
  gateway = await GatewayUnderTest.start(new FakeUpstream());
  document = (await (await gateway.get('/openapi.json')).json()) as Document;
});
afterAll(() => gateway.close());

const described = (): readonly (readonly [string, string, Operation])[] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, operation]) => [method.toUpperCase(), path, operation] as const,
    ),
  );

describe('the description of the API', () => {
  it('names every route, and no route that is not there (@SP-11)', () => {
    const registered = gateway.gateway.routes.routes
      .filter(({ path }) => path !== '/')
      .map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`);
    const names = described().map(([method, path]) => `${method} ${path}`);
    expect([...names].sort()).toEqual([...registered].sort());
    expect(names.length).toBeGreaterThan(20);
  });

  it('describes every parameter that stands in a path', () => {
    for (const [, path, { parameters = [] }] of described()) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const declared = parameters.filter((one) => one.in === 'path').map(({ name }) => name);
      expect({ path, declared }).toEqual({ path, declared: inPath });
    }
  });

  it('asks for a key and a body on every command, and says what each refusal looks like', () => {
    const commands = described().filter(([method]) => method === 'POST');
    expect(commands).toHaveLength(11);
    for (const [, , { parameters = [], requestBody, responses }] of commands) {
      expect(parameters.map(({ name }) => name)).toContain('Idempotency-Key');
      expect(requestBody).toBeDefined();
      for (const status of ['400', '401', '403', '404', '409', '413', '415', '503'])
        expect(responses[status]).toBeDefined();
    }
  });

  it('has a summary for everything', () => {
    expect(described().filter(([, , { summary }]) => !summary)).toEqual([]);
  });

  it('gives every operation a name of its own', () => {
    const names = described().map(([, , { operationId }]) => operationId);
    expect(names).toEqual([...new Set(names)]);
  });

  it('says at the generic routes that they refuse a strict contract, and where it belongs (@SP-11)', () => {
    for (const path of ['/v1/spawns', '/v1/submissions'])
      expect(JSON.stringify(document.paths[path]!['post']!.responses['400'])).toContain(
        'strict_contract_route_only',
      );
  });

  it('takes for a strict spawn what its request class takes, and nothing else (@SP-11)', () => {
    expect(document.components.schemas['StrictInvokeRequest']).toMatchObject({
      required: ['spawn_contract', 'node_id', 'node_name', 'agent_name', 'harness', 'task'],
    });
    const { properties } = document.components.schemas['StrictInvokeRequest'] as {
      properties: object;
    };
    const optional = ['directory', 'verify_ready', 'worker_cwd'];
    const required = ['spawn_contract', 'node_id', 'node_name', 'agent_name', 'harness', 'task'];
    expect(Object.keys(properties)).toEqual([...required, ...optional]);
  });

  it('shows that what is unknown is a spawn or a run', () => {
    const answer = document.paths['/v1/unknowns']!['get']!.responses['200'];
    expect(JSON.stringify(answer)).toContain('#/components/schemas/UnknownPageSchema');
    expect(document.components.schemas['UnknownPageSchema']).toMatchObject({
      properties: {
        items: {
          type: 'array',
          items: {
            oneOf: ['SpawnSchema', 'RunSchema'].map((name) => ({
              $ref: `#/components/schemas/${name}`,
            })),
          },
        },
      },
    });
  });

  it('refers only to schemas that it holds', () => {
    const references = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/(\w+)"/g)];
    expect(references.length).toBeGreaterThan(50);
    for (const [, name] of references)
      expect(Object.keys(document.components.schemas)).toContain(name);
  });

  it('shows the bounds that requests are checked against', () => {
    const limit = document.paths['/v1/runs']!['get']!.parameters!.find(
      ({ name }) => name === 'limit',
    );
    expect(limit).toMatchObject({ schema: { type: 'integer', minimum: 1, maximum: 200 } });
    expect(document.components.schemas['SubmissionRequest']).toMatchObject({
      required: ['agent', 'prompt'],
    });
  });
});
