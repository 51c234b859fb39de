import type { JournalId, NodeId, RunId, WorkspaceId } from '#kernel';
import { InvalidCommit, isToken } from '#event-store';
import type { NodeCommand } from './names.js';

/** Where a frame goes, and which piece of work it is: at most one frame has a given address. */
export interface FrameAddress {
  readonly workspace: WorkspaceId;
  readonly node: NodeId;
  /** The journal that may take it. A node with another one must not. */
  readonly journalId: JournalId;
  /** The id of the run (or other work). */
  readonly work: string;
  /** Counts from 1. */
  readonly generation: number;
}

/** @throws InvalidCommit when a part can't stand in a subject. */
export const frameSubject = (frame: FrameAddress): string => {
  if (!Number.isSafeInteger(frame.generation) || frame.generation < 1)
    throw new InvalidCommit(
      `generation ${String(frame.generation)} is not a positive whole number`,
    );
  return subjectOf('hf.frame', [
    frame.workspace,
    frame.node,
    frame.journalId,
    frame.work,
    String(frame.generation),
  ]);
};

/** The address that a frame's subject names; undefined when it is not a frame's. */
export const parseFrameSubject = (subject: string): FrameAddress | undefined => {
  const tokens = subject.split('.');
  if (tokens.length !== 7 || tokens[0] !== 'hf' || tokens[1] !== 'frame') return undefined;
  const [workspace, node, journalId, work, generation] = tokens.slice(2) as [
    string,
    string,
    string,
    string,
    string,
  ];
  if (![workspace, node, journalId, work].every(isToken)) return undefined;
  if (!/^[1-9][0-9]{0,14}$/.test(generation)) return undefined;
  return { workspace, node, journalId, work, generation: Number(generation) };
};

/** Whose output it is, and who wrote it: the broker lets a node write under its own name alone. */
export interface OutputAddress {
  readonly workspace: WorkspaceId;
  readonly run: RunId;
  /** The node that the run is on. */
  readonly node: NodeId;
}

export const outputSubject = ({ workspace, run, node }: OutputAddress): string =>
  subjectOf('hf.output', [workspace, run, node]);

export const leaseSubject = (workspace: WorkspaceId, node: NodeId): string =>
  subjectOf('hf.lease', [workspace, node]);

/** `_observer` can't be a workspace of a node: {@link isWorkspaceName} refuses a leading underscore. */
export const observerLeaseSubject = (observer: string): string =>
  subjectOf('hf.lease', ['_observer', observer]);

export const askSubject = (workspace: WorkspaceId, node: NodeId): string =>
  subjectOf('hf.ask', [workspace, node]);

export const nodeCommandSubject = (
  command: NodeCommand,
  workspace: WorkspaceId,
  node: NodeId,
): string => subjectOf(`hf.cmd.${command}`, [workspace, node]);

/** A workspace that people may use: names with a leading underscore belong to the system. */
export const isWorkspaceName = (name: string): boolean => isToken(name) && !name.startsWith('_');

const subjectOf = (prefix: string, tokens: readonly string[]): string => {
  for (const token of tokens)
    if (typeof token !== 'string' || !isToken(token))
      throw new InvalidCommit(
        `${JSON.stringify(token)} can't be a part of a subject under ${prefix}`,
      );
  return [prefix, ...tokens].join('.');
};
