import type { AskAnswer, AskRequest, Frame } from '#contracts';
import type { Loaded } from '#event-store';
import { bug, type Instant, type JournalId, type NodeId, type Provenance } from '#kernel';
import type { SlotStanding } from '#nodes/contract';
import { generationOf, journalOf, type SpawnCommand, type SpawnState } from '../domain/index.js';
import type { LoadedSpawn, SpawnPorts } from './spawn.ports.js';
import type { SpawnContext, SpawnStep } from './spawn.step.js';
import { nodeOf } from './spawn.surroundings.js';

/** What a step came to. */
export type Performed =
  /** Something was appended, here or on its node: look on. */
  | { readonly kind: 'moved' }
  /** A node was asked, or told; what follows comes from it, or with time. */
  | { readonly kind: 'asked' };

/** What a step rests on, and who takes it. */
export type StepContext = Pick<SpawnContext, 'epoch' | 'slot' | 'node' | 'windows'> & {
  readonly lastHeardAt: Instant | null;
  readonly by: Provenance;
};

/**
 * Performs one step: append the intent, act once, append what was learned. Whoever loses a compare-and-set did nothing,
 * and looks again; whoever dies here leaves a spawn from whose record the next one goes on.
 *
 * @throws RevisionConflict or RuleViolation: somebody else was first.
 */
export const performSpawnStep = async (
  spawn: LoadedSpawn,
  step: SpawnStep,
  context: StepContext,
  ports: SpawnPorts,
): Promise<Performed> => {
  switch (step.kind) {
    case 'reserve':
      await reserve(spawn, step.round, context, ports);
      return MOVED;
    case 'dispatch':
      return dispatch(spawn, step.round, step.journalId, context, ports);
    case 'publishFrame':
      await ports.lines.publishFrame(frameOf(spawn));
      return MOVED;
    case 'releaseSlot':
      await releaseSlot(spawn, step.round, step.reason, context, ports);
      return MOVED;
    case 'occupySlot':
      await occupySlot(spawn, step.round, context, ports);
      return MOVED;
    case 'ask':
      return askOrConclude(spawn, context, ports);
    case 'sendStop':
      await ask(spawn, 'stop', context, ports);
      return ASKED;
    case 'decideRelease':
    case 'intendPlacement':
    case 'expire':
    case 'revoke':
    case 'settleUnknown':
      await append(spawn, commandOf(spawn, step, context, ports), context, ports);
      return MOVED;
  } // No default: a new step does not compile until it is performed here.
};

const MOVED: Performed = { kind: 'moved' };
const ASKED: Performed = { kind: 'asked' };

type Appending = Extract<
  SpawnStep,
  { kind: 'decideRelease' | 'intendPlacement' | 'expire' | 'revoke' | 'settleUnknown' }
>;

const commandOf = (
  { state }: LoadedSpawn,
  step: Appending,
  { epoch, slot, windows, lastHeardAt }: StepContext,
  { clock, newToken }: SpawnPorts,
): SpawnCommand => {
  const { spawnId } = state;
  const now = clock.now();
  switch (step.kind) {
    case 'decideRelease':
      return { type: 'DecideRelease', spawnId, now, round: step.round, reason: step.reason };
    case 'intendPlacement':
      return {
        type: 'IntendPlacement',
        spawnId,
        now,
        round: step.round,
        nodeId: step.nodeId ?? placedOn(state),
        token: newToken(),
        until: now + windows.reservationMs,
        released: slot.fenced >= step.round - 1,
      };
    case 'expire':
      return { type: 'ExpireSpawn', spawnId, now, windowMs: windows.neverDispatchedMs };
    case 'revoke':
      return {
        type: 'RevokeSpawnDispatch',
        spawnId,
        now,
        generation: step.generation,
        reason: step.reason,
        epoch,
      };
    case 'settleUnknown':
      return settlement(state, step.reason, now, epoch, lastHeardAt);
  }
};

const settlement = (
  spawn: LoadedSpawn['state'],
  reason: string,
  now: Instant,
  epoch: number,
  lastHeardAt: Instant | null,
): SpawnCommand => {
  const { spawnId, holder } = spawn;
  return {
    type: 'SettleSpawnUnknown',
    spawnId,
    now,
    witness: 'saga',
    epoch,
    evidence: {
      reason,
      nodeId: nodeOf(spawn) ?? '',
      journalId: journalOf(spawn),
      incarnation: holder?.incarnation ?? null,
      lastHeardAt,
    },
  };
};

const append = (
  spawn: LoadedSpawn,
  command: SpawnCommand,
  { by }: StepContext,
  { spawns }: SpawnPorts,
): Promise<Loaded<SpawnState>> => spawns.append(spawn, command, by);

const reserve = async (
  { ref, state }: LoadedSpawn,
  round: number,
  { by, node }: StepContext,
  { slots }: SpawnPorts,
): Promise<void> => {
  const { placement, request, spawnId } = state;
  if (placement === null) throw bug(`spawn ${spawnId} has no placement to reserve for`);
  const { token, nodeId, until } = placement;
  const { agentName, harness } = request;
  const snapshot = { nodeName: request.nodeName ?? node.name ?? nodeId, agentName, harness };
  await slots.reserve(ref.workspace, nodeId, { spawnId, round, token, snapshot, until }, by);
};

/** Intends the one generation, and puts its frame on its way: only what was appended may leave. */
const dispatch = async (
  spawn: LoadedSpawn,
  round: number,
  journalId: JournalId,
  context: StepContext,
  ports: SpawnPorts,
): Promise<Performed> => {
  const { spawnId } = spawn.state;
  const now = ports.clock.now();
  const command: SpawnCommand = {
    type: 'DispatchSpawn',
    spawnId,
    now,
    round,
    slot: slotIn(context.slot),
    nodeName: context.node.name ?? '',
    journalId,
    // One clock reading for both: no sweep may time out what was dispatched this very moment.
    retryAfterAt: now + context.windows.retryAfterMs,
    epoch: context.epoch,
  };
  const dispatched = await append(spawn, command, context, ports);
  if (isDispatched(dispatched)) await ports.lines.publishFrame(frameOf(dispatched));
  return MOVED;
};

const slotIn = ({
  round,
  reservedAt,
}: SlotStanding): { round: number; reservedAt: Instant } | null =>
  round === null ? null : { round, reservedAt };

const isDispatched = (spawn: Loaded<SpawnState>): spawn is LoadedSpawn =>
  spawn.state.status === 'dispatched';

/** The one frame of its newest generation. */
export const frameOf = ({ ref, state, trace }: LoadedSpawn): Frame => {
  const { spawnId, dispatch: intent, request } = state;
  if (intent === null) throw bug(`spawn ${spawnId} has no dispatch to make a frame of`);
  const { agentName, harness, directory, task } = request;
  const work: string = spawnId; // A frame calls its work a run, whatever it is.
  return {
    workspace: ref.workspace,
    node: intent.nodeId,
    journalId: intent.journalId,
    runId: work,
    sessionId: work,
    agent: agentName,
    epoch: intent.epoch,
    generation: intent.generation,
    kind: 'initial',
    prompt: task,
    thread: null,
    turn: null,
    key: spawnId,
    spawn: { harness, directory },
    ...(trace === undefined ? {} : { traceparent: trace }),
  };
};

const releaseSlot = async (
  { ref, state }: LoadedSpawn,
  round: number,
  reason: string,
  { by }: StepContext,
  { slots, clock }: SpawnPorts,
): Promise<void> => {
  const { spawnId, placement } = state;
  const until = placement?.until ?? clock.now();
  await slots.release(ref.workspace, placedOn(state), { spawnId, round, until, reason }, by);
};

const occupySlot = async (
  { ref, state }: LoadedSpawn,
  round: number,
  { by }: StepContext,
  { slots }: SpawnPorts,
): Promise<void> => {
  const { spawnId } = state;
  await slots.occupy(ref.workspace, placedOn(state), { spawnId, round }, by);
};

const placedOn = (spawn: LoadedSpawn['state']): NodeId => {
  const node = nodeOf(spawn);
  if (node === null) throw bug(`spawn ${spawn.spawnId} was never placed`);
  return node;
};

/** Its node answers, and reports; silence is ours to record once its time is up, and never a reason to send again. */
const askOrConclude = async (
  spawn: LoadedSpawn,
  context: StepContext,
  ports: SpawnPorts,
): Promise<Performed> => {
  const answer = await ask(spawn, 'status', context, ports);
  const isOfNode = answer !== null && answer.answer !== 'other-journal';
  const { state } = spawn;
  const isTimeUp = ports.clock.now() >= (state.dispatch?.retryAfterAt ?? 0);
  if (isOfNode || state.status !== 'claimed' || !isTimeUp) return ASKED;
  const reason =
    answer === null
      ? 'its node was asked and did not answer'
      : 'its node has another journal, which knows nothing of it';
  const { epoch, lastHeardAt } = context;
  await append(
    spawn,
    settlement(state, reason, ports.clock.now(), epoch, lastHeardAt),
    context,
    ports,
  );
  return MOVED;
};

const ask = async (
  { ref, state }: LoadedSpawn,
  question: AskRequest['question'],
  { epoch }: StepContext,
  { lines }: SpawnPorts,
): Promise<AskAnswer | null> => {
  const { spawnId, holder } = state;
  const journalId = journalOf(state);
  const asked: string = spawnId;
  if (journalId === null) return null; // After a restore nobody may know whom to ask.
  return lines.ask(ref.workspace, placedOn(state), {
    question,
    work: 'spawn',
    runId: asked,
    generation: generationOf(state),
    journalId,
    epoch,
    holder: holder?.incarnation ?? null,
  });
};
