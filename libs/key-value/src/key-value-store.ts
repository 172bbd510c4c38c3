/**
 * A shared store for data that can be lost: caches, hot copies, heartbeats. Every call is bounded in time (100 ms
 * unless configured) and rejects with KeyValueUnavailableError when the store is unavailable; callers must work without
 * it.
 */
export interface KeyValueStore {
  get(key: string): Promise<string | null>;
  getMany(keys: readonly string[]): Promise<(string | null)[]>;
  /** Resolves to false when `onlyIfAbsent` prevented the change. */
  set(key: string, value: string, options?: SetOptions): Promise<boolean>;
  delete(keys: readonly string[]): Promise<void>;
  /** Appends to a list (a Buffer is a text in UTF-8), keeps at least its newest `maximumLength` entries, renews its expiry. */
  append(key: string, values: readonly (string | Buffer)[], options: AppendOptions): Promise<void>;
  /** Returns entries by position, negative ones from the end, both ends included (as LRANGE). Empty without a list. */
  range(key: string, start: number, stop: number): Promise<string[]>;
  /** Returns the number of entries of a list; 0 without a list. */
  length(key: string): Promise<number>;
  /** Grants all that an admission asks for, or takes nothing. Atomic for all callers of the store, in one exchange. */
  admit(admission: Admission): Promise<Admitted>;
  /** Takes places again that may have expired, or lengthens them. */
  keep(key: string, ids: readonly string[], ttlMilliseconds: number): Promise<void>;
  /** Gives places back. */
  release(key: string, ids: readonly string[]): Promise<void>;
  /** Notes what background runs have of places, and returns how many of those they want they get. One place is left for callers. */
  share(places: SharedPlaces): Promise<number>;
  /**
   * Gives a place back for what is counted elsewhere from now on, and adds it to the count of `note`. Returns false where nothing is
   * noted.
   */
  settle(place: SettledPlace): Promise<boolean>;
  /** Returns how many places have been settled, which a count of what takes places needs when it begins. */
  settled(key: string): Promise<number>;
  /** Notes how many places are taken by a count elsewhere, with those that were settled since that began. */
  note(count: PlaceCount): Promise<void>;
  /** Executes several commands in one exchange, in order; returns the results of the single calls. */
  batch(commands: readonly KeyValueCommand[]): Promise<unknown[]>;
  /** Returns at most `limit` keys with this prefix. */
  keys(prefix: string, limit: number): Promise<string[]>;
  ping(): Promise<void>;
  close(): Promise<void>;
}

export interface SetOptions {
  readonly ttlMilliseconds?: number;
  readonly onlyIfAbsent?: boolean;
}

/** What one event needs. On a cluster, all keys of an admission need the same hash tag. */
export interface Admission {
  readonly rates: readonly Rate[];
  /** None unless given. */
  readonly amounts?: readonly Amount[];
  readonly places?: PlacesToTake | undefined;
}

/** Places that a run takes until they are released or expire. */
export interface PlacesToTake {
  /** Names the run. */
  readonly id: string;
  readonly ttlMilliseconds: number;
  readonly of: readonly Places[];
}

/** Places for runs. */
export interface Places {
  readonly key: string;
  readonly maximum: number;
}

/** What background runs take of places, counted elsewhere. */
export interface SharedPlaces extends Places {
  /** Places that background runs have. */
  readonly used: number;
  /** How many more they want. */
  readonly wanted: number;
  /** Whether background runs wait: one place is kept for them. */
  readonly isWaiting: boolean;
  readonly ttlMilliseconds: number;
}

/** A place of what has been stored, and how long its count is kept. */
export interface SettledPlace {
  readonly key: string;
  readonly id: string;
  readonly ttlMilliseconds: number;
}

/** How many places are taken. */
export interface PlaceCount {
  readonly key: string;
  readonly count: number;
  /** What `settled` returned before the count began. */
  readonly settled: number;
  readonly ttlMilliseconds: number;
}

/** How often something may happen (generic cell rate algorithm). */
export interface Rate {
  readonly key: string;
  readonly perSecond: number;
  /** How many can follow each other at once after a pause; at least 1. */
  readonly burst: number;
}

/** A part of a whole, which is used up until no part has been used for this time. */
export interface Amount {
  readonly key: string;
  readonly amount: number;
  readonly maximum: number;
  readonly ttlMilliseconds: number;
}

/** The answer to an admission. */
export interface Admitted {
  /**
   * What refused: the index of the rate that of several allows one more last, else that of an amount, else that of places, counted on;
   * null when all was granted.
   */
  readonly refused: number | null;
  /** Until the refusing rate allows one more; 0 when no rate refused. */
  readonly waitMilliseconds: number;
  /** How many more each rate allows at once, and until it allows its whole burst; empty when refused. */
  readonly rates: readonly { readonly remaining: number; readonly resetMilliseconds: number }[];
  /** What is left of each amount; empty when refused. */
  readonly amounts: readonly number[];
}

export interface AppendOptions {
  /** A list that exceeds this by more than a quarter is trimmed to it. */
  readonly maximumLength: number;
  /** Time to live since the newest entry; can be shorter by up to a tenth, at most a minute. */
  readonly ttlMilliseconds: number;
}

export type KeyValueCommand =
  | { readonly command: 'get'; readonly key: string }
  | { readonly command: 'set'; readonly key: string; readonly value: string; readonly options?: SetOptions }
  | { readonly command: 'delete'; readonly keys: readonly string[] }
  | {
      readonly command: 'append';
      readonly key: string;
      readonly values: readonly (string | Buffer)[];
      readonly options: AppendOptions;
    }
  | { readonly command: 'admit'; readonly admission: Admission }
  | {
      readonly command: 'keep';
      readonly key: string;
      readonly ids: readonly string[];
      readonly ttlMilliseconds: number;
    }
  | { readonly command: 'release'; readonly key: string; readonly ids: readonly string[] }
  | { readonly command: 'share'; readonly places: SharedPlaces }
  | { readonly command: 'settle'; readonly place: SettledPlace }
  | { readonly command: 'settled'; readonly key: string }
  | { readonly command: 'note'; readonly count: PlaceCount }
  | { readonly command: 'length'; readonly key: string }
  | { readonly command: 'range'; readonly key: string; readonly start: number; readonly stop: number };

/** The store did not answer in time, or the circuit breaker is open because it did not. */
export class KeyValueUnavailableError extends Error {
  readonly code = 'key_value_unavailable';
}
