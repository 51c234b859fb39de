import { isToken, type CommitMetadata } from '#event-store';
import { parseTraceparent } from '#tracing';
import { RuleViolation, bug, type NodeId, type Provenance, type WorkspaceId } from '#kernel';

/** What a controller learns of a request beside its data, whichever transport it came by. */
export interface RequestContext {
  /** The subject's tokens: `hf.cmd.runs.claim.<workspace>.<node>` has the node at 5. */
  readonly tokens: readonly string[];
  /** A header's value; undefined when it is absent or empty. */
  get(header: string): string | undefined;
}

/** What ties a request to whatever else it set in motion. */
export type Trace = Omit<Provenance, 'actor'>;

const REQUEST_ID = /^[\x21-\x7e]{1,128}$/;

/** What can't be read is left out: a bad trace is no reason to refuse a request. */
export const traceOf = (context: RequestContext): Trace => {
  const requestId = context.get('hf-request-id');
  const traceparent = context.get('traceparent');
  return {
    ...(requestId !== undefined && REQUEST_ID.test(requestId) ? { requestId } : {}),
    ...(traceparent !== undefined && parseTraceparent(traceparent) !== undefined
      ? { traceparent }
      : {}),
  };
};

/**
 * Who speaks, of a node's request: its permissions allow it no other subject.
 *
 * @throws RuleViolation `invalid_request`: the subject names no workspace and node that there could be.
 */
export const nodeOf = ({
  tokens,
}: RequestContext): { readonly workspace: WorkspaceId; readonly node: NodeId } => {
  const [workspace, node] = tokens.slice(4);
  if (tokens.length !== 6 || workspace === undefined || node === undefined)
    throw bug(`${tokens.join('.')} is no subject of a node's request`);
  if (!isToken(workspace) || workspace.startsWith('_') || !isToken(node))
    throw new RuleViolation('invalid_request', {}, 'the subject names no workspace and node');
  return { workspace, node };
};

/** The metadata of a commit that decides `command`. */
export const metadataOf = (command: string, by: Provenance): CommitMetadata => ({
  command,
  actor: by.actor,
  ...(by.requestId === undefined ? {} : { correlationId: by.requestId }),
  ...(by.traceparent === undefined ? {} : { traceparent: by.traceparent }),
});

/** Sagas, as the authors of what they do because of `after`, in its trace. */
export const bySagas = ({ trace }: { readonly trace?: string }): Provenance => ({
  actor: 'service:sagas',
  ...(trace === undefined ? {} : { traceparent: trace }),
});

/** A node, as the author of what it reports. */
export const nodeActor = (workspace: string, node: string): string => `node:${workspace}/${node}`;
