import { applyDecorators, type Type } from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiHeader,
  ApiOperation,
  ApiParam,
  ApiProduces,
  ApiQuery,
  ApiResponse,
} from '@nestjs/swagger';
import { TOKEN, UUID } from '#contracts/requests';
import { ProblemSchema } from './answers.schema.js';

const PROBLEM = 'application/problem+json';
const problem = (status: number, description: string): MethodDecorator =>
  ApiResponse({
    status,
    description,
    content: { [PROBLEM]: { schema: { $ref: '#/components/schemas/ProblemSchema' } } },
  });

const forAll = (summary: string): MethodDecorator[] => [
  ApiOperation({ summary }),
  ApiBearerAuth(),
  ApiResponse({ status: 500, description: 'A fault of the server', type: ProblemSchema }),
  problem(400, 'The request is not valid; `errors` names every field that is wrong'),
  problem(401, 'The token is missing or not valid'),
  problem(403, 'The caller may not do this'),
  problem(503, 'A service is away or did not answer; `retryable` is true'),
];

/** A command: keyed, and answered the same again for the same key. */
export const Commands = (summary: string, status: number, answer: Type): MethodDecorator =>
  applyDecorators(
    ...forAll(summary),
    ApiHeader({
      name: 'Idempotency-Key',
      required: true,
      description: 'Names this command for ever: the same key never does it twice.',
      schema: { type: 'string', minLength: 1, maxLength: 255 },
    }),
    ApiResponse({
      status,
      type: answer,
      description: 'Done, and durable',
      headers: {
        'Idempotency-Replayed': {
          description: '`true` when an earlier request with this key did it',
          schema: { type: 'string' },
        },
      },
    }),
    problem(404, 'What is named does not exist'),
    problem(409, 'The key was used with another request, or the state does not allow it'),
    problem(413, 'The body or the prompt is too large'),
    problem(415, 'The body must be JSON'),
  );

/** Beside {@link Commands}: a route that can't promise a strict spawn, and says so. */
export const StrictElsewhere = (): MethodDecorator =>
  problem(
    400,
    'The request is not valid, `errors` names every field that is wrong; `strict_contract_route_only`: a body with `spawn_contract` or `spawnContract` is refused, since only POST /v1/actions/spawn/strict-invoke can promise what it asks for',
  );

/** A read. @param produces another form that it can be asked for in. */
export const Reads = (summary: string, answer: Type, produces?: string): MethodDecorator =>
  applyDecorators(
    ...forAll(summary),
    ApiResponse({ status: 200, type: answer, description: 'What there is' }),
    problem(404, 'What is named does not exist'),
    ...(produces === undefined ? [] : [ApiProduces('application/json', produces)]),
  );

/** A stream of server-sent events. */
export const EventsOnly = (summary: string): MethodDecorator =>
  applyDecorators(
    ...forAll(summary),
    ApiResponse({
      status: 200,
      description: 'Events `ready`, `change`, `gap` (read everything again) and `closing`',
      content: { 'text/event-stream': { schema: { type: 'string' } } },
    }),
    problem(429, 'Too many streams are open'),
  );

export const LastEventId = (): MethodDecorator =>
  ApiHeader({
    name: 'Last-Event-ID',
    required: false,
    description: 'Goes on after this event.',
    schema: { type: 'string' },
  });

export const IdPath = (description: string): MethodDecorator =>
  ApiParam({
    name: 'id',
    description,
    schema: { type: 'string', format: 'uuid', pattern: UUID.source },
  });

export const NamePath = (name: string, description: string): MethodDecorator =>
  ApiParam({ name, description, schema: { type: 'string', pattern: TOKEN.source } });

/** The query parameters that a request class takes; `id` stands in the path. */
export const Parameters = (requestClass: Type): MethodDecorator =>
  applyDecorators(
    ...propertiesOf(requestClass)
      .filter(([name]) => name !== 'id')
      .map(([name, { description, schema }]) =>
        ApiQuery({
          name,
          required: false,
          ...(description === undefined ? {} : { description }),
          schema,
        }),
      ),
  );

/** What `@ApiProperty` keeps about a property; the names are those of `@nestjs/swagger`. */
interface Described {
  readonly description?: string;
  readonly type?: unknown;
  readonly isArray?: boolean;
  readonly items?: { readonly type?: string; readonly enum?: unknown[] };
  readonly enum?: unknown[];
}
interface Parameter {
  readonly description: string | undefined;
  readonly schema: Record<string, unknown>;
}

const propertiesOf = (requestClass: Type): [string, Parameter][] => {
  const prototype = requestClass.prototype as object;
  const names = (Reflect.getMetadata('swagger/apiModelPropertiesArray', prototype) ??
    []) as string[];
  return names.map((prefixed) => {
    const name = prefixed.replace(/^:/, '');
    const described = Reflect.getMetadata(
      'swagger/apiModelProperties',
      prototype,
      name,
    ) as Described;
    return [name, { description: described.description, schema: schemaOf(described) }];
  });
};

const typeOf = (type: unknown): string => {
  if (type === Number) return 'integer';
  return type === Boolean ? 'boolean' : 'string';
};

const KEPT = ['format', 'pattern', 'minimum', 'maximum', 'default', 'minLength', 'maxLength'];

const schemaOf = (described: Described): Record<string, unknown> => {
  const values = described.enum ?? described.items?.enum;
  const type = typeOf(described.type);
  const kept = Object.fromEntries(
    Object.entries(described).filter(([name]) => KEPT.includes(name)),
  );
  const one = { type, ...kept, ...(values === undefined ? {} : { enum: values }) };
  const isArray = described.isArray === true || described.type === 'array';
  return isArray ? { type: 'array', items: one } : one;
};
