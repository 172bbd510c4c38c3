/** A clock that all processes of an installation have in common, whatever the clocks of their machines show. */
export interface SharedClock {
  /** Milliseconds since the epoch, with a fraction. */
  now(): number;
  /** False until it has been compared with what is shared: then `now` is this machine's own clock. */
  readonly isShared: boolean;
}

/** The clock of this machine, for an installation that is one process. */
export const localClock: SharedClock = { now: () => Date.now(), isShared: true };
