import { fromJson, type DescMessage, type JsonValue } from '@bufbuild/protobuf';
import type { DomainEvent } from '#kernel';
import { file_holdfast_v1_control } from '../generated/holdfast/v1/control_pb.js';
import { file_holdfast_v1_node } from '../generated/holdfast/v1/node_pb.js';
import { file_holdfast_v1_run } from '../generated/holdfast/v1/run_pb.js';
import { file_holdfast_v1_session } from '../generated/holdfast/v1/session_pb.js';
import { file_holdfast_v1_spawn } from '../generated/holdfast/v1/spawn_pb.js';

/** The version that events are written with. Raise it when an upcaster is needed, never for an added optional field. */
export const EVENT_SCHEMA_VERSION = 1;

/** An event does not match its message in `proto/`: it must not be written, every reader would stumble over it. */
export class EventSchemaViolation extends Error {
  override readonly name = 'EventSchemaViolation';
  readonly code = 'event_schema_violation';
  constructor(
    readonly type: string,
    problem: string,
    options?: { readonly cause: unknown },
  ) {
    super(`event ${type}: ${problem}`, options);
  }
}

const MESSAGES: ReadonlyMap<string, DescMessage> = new Map(
  [
    file_holdfast_v1_run,
    file_holdfast_v1_session,
    file_holdfast_v1_node,
    file_holdfast_v1_control,
    file_holdfast_v1_spawn,
  ].flatMap((file) => file.messages.map((message) => [message.name, message] as const)),
);

/**
 * Checks an event before it is written: its type is a message, and its data is that message's JSON mapping.
 *
 * @throws EventSchemaViolation
 */
export const checkEvent = ({ type, data }: DomainEvent): void => {
  const message = MESSAGES.get(type);
  if (message === undefined)
    throw new EventSchemaViolation(type, 'no message of that name in proto/');
  try {
    fromJson(message, data as JsonValue, { ignoreUnknownFields: false });
  } catch (cause) {
    throw new EventSchemaViolation(type, (cause as Error).message, { cause });
  }
};

/** Turns an event as an older version wrote it into the next version's form. Pure; kept for ever. */
export type Upcaster = (event: DomainEvent) => DomainEvent;

/** By the version that was written, then by the event's type. Empty while version 1 is the only one. */
const UPCASTERS: ReadonlyMap<number, ReadonlyMap<string, Upcaster>> = new Map();

/**
 * An event as this version reads it, whichever version wrote it. Fields that this version does not know are kept.
 *
 * @param schema the version in the commit's header; a newer one than ours is read as it is.
 */
export const upcast = (event: DomainEvent, schema: number, upcasters = UPCASTERS): DomainEvent => {
  let current = event;
  for (let version = schema; version < EVENT_SCHEMA_VERSION; version += 1)
    current = upcasters.get(version)?.get(current.type)?.(current) ?? current;
  return current;
};
