export const EVENT_STORE = Symbol('EventStore');
export interface EventStore {
  append(): void;
}
