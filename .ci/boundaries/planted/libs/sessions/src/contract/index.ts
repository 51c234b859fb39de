export type SessionId = string;
