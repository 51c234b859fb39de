/** What the rows below refer to; made before the first of them is sent. */
export interface Setting {
  readonly operator: string;
  readonly agent: string;
  readonly viewer: string;
  /** An operator of another workspace. */
  readonly stranger: string;
  /** A run of the main workspace that has completed, and the key that it was submitted under. */
  readonly runId: string;
  readonly key: string;
}

/** What a request is made of, given the setting. */
type Of<Value> = Value | ((setting: Setting) => Value);

export interface BadHttp {
  readonly what: string;
  readonly method?: string;
  readonly path: Of<string>;
  /** `null`: none. Default: the operator's. */
  readonly token?: Of<string | null>;
  /** `null`: none. Default: a new one. */
  readonly key?: Of<string | null>;
  readonly type?: string | null;
  /** Text and bytes are sent as they are, anything else as JSON. */
  readonly body?: Of<unknown>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly status: number;
  readonly code: string;
}

export interface BadNats {
  readonly what: string;
  readonly subject: string;
  readonly token?: Of<string | null>;
  readonly key?: string | null;
  /** Bytes are sent as they are, without any header; anything else as JSON. */
  readonly body: Of<unknown>;
  readonly code: string;
}

/** An id of nothing. */
export const NOBODY = '99999999-9999-4999-8999-999999999999';
/** A submission that would be accepted. */
export const GOOD = { agent: 'ledger', prompt: 'say:hello' };
export const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
export const BAD_UTF8 = Buffer.concat([
  Buffer.from('{"agent":"ledger","prompt":"'),
  Buffer.from([0xff, 0xfe]),
  Buffer.from('"}'),
]);
export const stopOf = (runId: string, reason: unknown = 'x'): object => ({
  target: { kind: 'run', id: runId },
  reason,
});
/** Whose token is shown instead of the operator's. */
export const as = {
  nobody: { token: null },
  viewer: { token: ({ viewer }: Setting) => viewer },
  agent: { token: ({ agent }: Setting) => agent },
  stranger: { token: ({ stranger }: Setting) => stranger },
  fake: { token: 'hf_made-up' },
};

/** Puts the setting into a row's value. */
export const inSetting = <Value>(of: Of<Value>, setting: Setting): Value =>
  typeof of === 'function' ? (of as (setting: Setting) => Value)(setting) : of;
