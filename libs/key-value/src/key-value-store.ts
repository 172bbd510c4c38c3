/**
 * A shared store for what may be lost: caches, hot copies, heartbeats. Every call is bounded in time (100 ms unless
 * told otherwise) and rejects with KeyValueUnavailableError when the store is away; callers must do without it.
 */
export interface KeyValueStore {
  get(key: string): Promise<string | null>;
  getMany(keys: readonly string[]): Promise<(string | null)[]>;
  /** Resolves to false when `onlyIfAbsent` kept it from being set. */
  set(key: string, value: string, options?: SetOptions): Promise<boolean>;
  delete(keys: readonly string[]): Promise<void>;
  /** Adds to the end of a list, keeps its newest `maximumLength` entries and a few more, renews its expiry. */
  append(key: string, values: readonly string[], options: AppendOptions): Promise<void>;
  /** Entries by position, negative ones from the end, both ends included (as LRANGE). Empty when there is no list. */
  range(key: string, start: number, stop: number): Promise<string[]>;
  /** Several commands in one exchange, in order; results as the single calls give them. */
  batch(commands: readonly KeyValueCommand[]): Promise<unknown[]>;
  /** Keys that begin with this, at most `limit`. */
  keys(prefix: string, limit: number): Promise<string[]>;
  ping(): Promise<void>;
  close(): Promise<void>;
}

export interface SetOptions {
  readonly ttlMilliseconds?: number;
  readonly onlyIfAbsent?: boolean;
}

export interface AppendOptions {
  /** A list that is a quarter longer is cut to this. */
  readonly maximumLength: number;
  /** From the newest entry on, less a tenth of it and a minute at most. */
  readonly ttlMilliseconds: number;
}

export type KeyValueCommand =
  | { readonly command: 'get'; readonly key: string }
  | { readonly command: 'set'; readonly key: string; readonly value: string; readonly options?: SetOptions }
  | { readonly command: 'delete'; readonly keys: readonly string[] }
  | {
      readonly command: 'append';
      readonly key: string;
      readonly values: readonly string[];
      readonly options: AppendOptions;
    }
  | { readonly command: 'range'; readonly key: string; readonly start: number; readonly stop: number };

/** The store did not answer in time, or a breaker is open after it failed to. */
export class KeyValueUnavailableError extends Error {
  readonly code = 'key_value_unavailable';
}
