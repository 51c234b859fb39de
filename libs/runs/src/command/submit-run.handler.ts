import { randomUUID } from 'node:crypto';
import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { AGENT_DIRECTORY, type AgentBinding, type AgentDirectory } from '#agents/contract';
import type { SubmissionAnswer } from '#contracts';
import { ARGUMENT_PROMPT_BYTES_MAX, utf8Bytes } from '#contracts/requests';
import { metadataOf } from '#hosting';
import { RuleViolation, type Provenance } from '#kernel';
import { WORKSPACE_KEYS, fingerprint, idOf, type WorkspaceKeys } from '#platform';
import { SESSION_PLACES, type SessionPlaces } from '#sessions/contract';
import type { ExistingRun, SubmitRun } from '../domain/index.js';
import { RUN_AGGREGATE } from './run.aggregate.js';
import { RUN_WRITING, type RunWriting } from './run-writing.js';
import { SubmitRunCommand } from './run.commands.js';

/** The run that a key names, before anything is known of it. */
interface Named {
  readonly runId: string;
  readonly fingerprint: string;
}

/**
 * Accepts a submission: one append, and no read where the agent is known. A named session takes a second one, for the
 * run's place in it. When those are acknowledged the answer leaves; nothing else is waited for.
 */
@CommandHandler(SubmitRunCommand)
export class SubmitRunHandler implements ICommandHandler<SubmitRunCommand> {
  constructor(
    @Inject(RUN_WRITING) private readonly runs: RunWriting,
    @Inject(AGENT_DIRECTORY) private readonly agents: AgentDirectory,
    @Inject(SESSION_PLACES) private readonly places: SessionPlaces,
    @Inject(WORKSPACE_KEYS) private readonly keys: WorkspaceKeys,
  ) {}

  /**
   * @throws RuleViolation `agent_not_found`, `prompt_too_large`, `session_not_found`, `session_agent_mismatch`,
   *   `session_queue_full`: nothing was written. `idempotency_conflict`: nothing was changed.
   */
  async execute(command: SubmitRunCommand): Promise<SubmissionAnswer> {
    const { caller, key, asSent } = command;
    const named: Named = {
      runId: idOf(caller.workspace, caller.principal, 'submit', key),
      fingerprint: fingerprint(this.keys.keyOf(caller.workspace), asSent),
    };
    const submission = await this.submissionOf(command, named).catch((refusal: unknown) =>
      this.firstAnswerOr(refusal, command, named),
    );
    return 'value' in submission ? submission : this.submit(command, submission);
  }

  private async submit(
    { caller, trace }: SubmitRunCommand,
    submission: SubmitRun,
  ): Promise<SubmissionAnswer> {
    const { workspace } = caller;
    const { runId } = submission;
    const by: Provenance = { actor: caller.principal, ...trace };
    const submitted = await this.runs.store.execute(
      RUN_AGGREGATE,
      { workspace, id: runId },
      submission,
      {
        // Each request is a command of its own: what makes two of them one is the run's id, and its fingerprint.
        commandId: `submit/${randomUUID()}`,
        metadata: metadataOf('SubmitRun', by),
        expectNew: true,
      },
    );
    const { state } = submitted.loaded;
    if (state.status === 'none')
      throw new Error(`bug: run ${runId} was submitted and is not there`);
    return this.answer(workspace, state, by, submitted.events.length === 0);
  }

  /** Also for a repeat: whoever was first may have died between its two appends. */
  private async answer(
    workspace: string,
    run: ExistingRun,
    by: Provenance,
    replayed: boolean,
  ): Promise<SubmissionAnswer> {
    const { sessionId, opensSession } = run.submission;
    if (!opensSession && run.status === 'queued')
      await this.places.enqueue(workspace, sessionId, run.runId, by);
    return { value: { runId: run.runId, sessionId, status: 'queued' }, replayed };
  }

  private async submissionOf(command: SubmitRunCommand, named: Named): Promise<SubmitRun> {
    const { caller, request } = command;
    const { agent, prompt, session } = request;
    const binding = await this.agents.find(caller.workspace, agent);
    if (binding === null)
      throw new RuleViolation('agent_not_found', { agent }, `no node offers an agent ${agent}`);
    if (binding.promptBy === 'argument' && utf8Bytes(prompt) > ARGUMENT_PROMPT_BYTES_MAX)
      throw new RuleViolation(
        'prompt_too_large',
        { bytesMax: ARGUMENT_PROMPT_BYTES_MAX },
        `agent ${agent} takes its prompt as an argument, which the kernel limits`,
      );
    if (session !== undefined) await this.checkSession(caller.workspace, session, agent);
    return {
      type: 'SubmitRun',
      runId: named.runId,
      now: this.runs.clock.now(),
      sessionId: session ?? named.runId,
      opensSession: session === undefined,
      agent,
      node: binding.node,
      runClass: runClassOf(binding),
      prompt,
      principal: caller.principal,
      fingerprint: named.fingerprint,
      epoch: await this.runs.epochs.epoch(),
    };
  }

  /** A session is its opener: it exists if the opener does, and is bound to the opener's agent. */
  private async checkSession(workspace: string, session: string, agent: string): Promise<void> {
    const opener = await this.runs.find(workspace, session);
    if (opener?.submission.opensSession !== true)
      throw new RuleViolation('session_not_found', { session }, 'there is no such session');
    const bound = opener.submission.agent;
    if (bound !== agent)
      throw new RuleViolation(
        'session_agent_mismatch',
        { session, agent: bound },
        `the session is bound to agent ${bound}`,
      );
    await this.places.checkRoom(workspace, session);
  }

  /** What is refused today may have been accepted under this key before: then that answer stands. */
  private async firstAnswerOr(
    refusal: unknown,
    { caller, trace }: SubmitRunCommand,
    named: Named,
  ): Promise<SubmissionAnswer> {
    if (!(refusal instanceof RuleViolation)) throw refusal;
    const run = await this.runs.find(caller.workspace, named.runId);
    if (run === null) throw refusal;
    if (run.submission.fingerprint !== named.fingerprint)
      throw new RuleViolation('idempotency_conflict', { runId: named.runId });
    return this.answer(caller.workspace, run, { actor: caller.principal, ...trace }, true);
  }
}

const runClassOf = (binding: AgentBinding): SubmitRun['runClass'] => {
  const { runtime, attempts, deduplicatesByKey, readBackByKey, interruptible, outlivesClient } =
    binding;
  return { runtime, attempts, deduplicatesByKey, readBackByKey, interruptible, outlivesClient };
};
