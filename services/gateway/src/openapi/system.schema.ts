import { ApiProperty } from '@nestjs/swagger';
import type { Type } from '@nestjs/common';
import type {
  BrokerView,
  DatabaseView,
  Found,
  HolderView,
  RequestTimesView,
  SagaView,
  StreamView,
  SystemView,
  SystemWindowsView,
} from '#contracts';
import { NodeSchema, ProjectionSchema, RunSchema } from './answers.schema.js';
import { ReadinessSchema } from './readiness.schema.js';
import { Count, Item, ItemOrNull, OrNull, Text, Time } from './schema-fields.js';

const WHY = { description: 'Why it could not be looked at; null when it was.' };
const Milliseconds = (): PropertyDecorator =>
  ApiProperty({ type: Number, description: 'Milliseconds.' });

/** A part that was looked at, or the reason why it could not be. */
const found = <One>(item: Type<One>): Type<Found<One>> => {
  class FoundSchema implements Found<One> {
    @ItemOrNull(item) readonly value!: One | null;
    @OrNull(WHY) readonly why!: string | null;
  }
  return named(FoundSchema, item, 'FoundSchema');
};

const foundList = <One>(item: Type<One>): Type<Found<readonly One[]>> => {
  class FoundListSchema implements Found<readonly One[]> {
    @ApiProperty({ type: () => [item], nullable: true }) readonly value!: readonly One[] | null;
    @OrNull(WHY) readonly why!: string | null;
  }
  return named(FoundListSchema, item, 'FoundListSchema');
};

const named = <Schema>(schema: Type<Schema>, { name }: Type, suffix: string): Type<Schema> => {
  Object.defineProperty(schema, 'name', { value: name.replace('Schema', suffix) });
  return schema;
};

class SystemWindowsSchema implements SystemWindowsView {
  @Milliseconds() readonly leaseMs!: number;
  @Milliseconds() readonly renewalMs!: number;
  @Milliseconds() readonly dispatchMs!: number;
  @Milliseconds() readonly sweepMs!: number;
  @Milliseconds() readonly ackWaitMs!: number;
}

class HolderSchema implements HolderView {
  @ApiProperty({ enum: ['projector', 'reconciler'] }) readonly role!: HolderView['role'];
  @Text({ description: 'What is done: the name of a read model, or what is swept.' })
  readonly of!: string;
  @OrNull({ description: 'The process that does it; null when none does.' })
  readonly holder!: string | null;
  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'How long ago the database last heard of it, milliseconds.',
  })
  readonly heardMsAgo!: number | null;
}

class SagaSchema implements SagaView {
  @Text() readonly name!: string;
  @Count({ description: 'Commits that were not handed out yet.' }) readonly waiting!: number;
  @Count({ description: 'Commits that some process has in hand.' }) readonly inWork!: number;
  @Count({ description: 'Of those, handed out more than once.' }) readonly again!: number;
  @Milliseconds() readonly oldestMs!: number;
  @Count({ description: '0 = nobody takes anything.' }) readonly takers!: number;
}

class StreamSchema implements StreamView {
  @Text() readonly name!: string;
  @Count() readonly lastSequence!: number;
  @Count() readonly bytes!: number;
  @Count() readonly copies!: number;
  @Count() readonly copiesBehind!: number;
}

class BrokerSchema implements BrokerView {
  @Text() readonly serverVersion!: string;
  @Milliseconds() readonly roundTripMs!: number;
  @ApiProperty({ type: () => [StreamSchema] }) readonly streams!: readonly StreamSchema[];
}

class DatabaseSchema implements DatabaseView {
  @Milliseconds() readonly roundTripMs!: number;
}

class RequestTimesSchema implements RequestTimesView {
  @Text() readonly route!: string;
  @Count() readonly count!: number;
  @Milliseconds() readonly p50Ms!: number;
  @Milliseconds() readonly p99Ms!: number;
}

class FoundWindowsSchema extends found(SystemWindowsSchema) {}
class FoundProjectionsSchema extends foundList(ProjectionSchema) {}
class FoundHoldersSchema extends foundList(HolderSchema) {}
class FoundSagasSchema extends foundList(SagaSchema) {}
class FoundNodesSchema extends foundList(NodeSchema) {}
class FoundBrokerSchema extends found(BrokerSchema) {}
class FoundDatabaseSchema extends found(DatabaseSchema) {}
class FoundRunsSchema extends foundList(RunSchema) {}

export class SystemSchema implements SystemView {
  @Time() readonly at!: string;
  @Item(ReadinessSchema) readonly readiness!: ReadinessSchema;
  @ApiProperty({ type: () => [RequestTimesSchema] })
  readonly requests!: readonly RequestTimesSchema[];
  @Item(FoundWindowsSchema) readonly windows!: FoundWindowsSchema;
  @Item(FoundProjectionsSchema) readonly projections!: FoundProjectionsSchema;
  @Item(FoundHoldersSchema) readonly holders!: FoundHoldersSchema;
  @Item(FoundSagasSchema) readonly sagas!: FoundSagasSchema;
  @Item(FoundNodesSchema) readonly nodes!: FoundNodesSchema;
  @Item(FoundBrokerSchema) readonly broker!: FoundBrokerSchema;
  @Item(FoundDatabaseSchema) readonly database!: FoundDatabaseSchema;
  @Item(FoundRunsSchema) readonly oldestRuns!: FoundRunsSchema;
}
