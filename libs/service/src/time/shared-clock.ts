import { machineTime } from './machine-time';

/** A clock shared by all processes of an installation, independent of their machines' clocks. */
export interface SharedClock {
  /** Milliseconds since the epoch, with a fraction. */
  now(): number;
  /** False until it has been compared with the shared time: until then `now` is this machine's clock. */
  readonly isShared: boolean;
}

/** The clock of this machine, for an installation with one process. */
export const localClock: SharedClock = { now: machineTime, isShared: true };
