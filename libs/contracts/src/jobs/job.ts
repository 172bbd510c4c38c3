import type { RunRequest } from '@millrace/flow';

export type Lane = 'interactive' | 'background';

/** A request that may hold secrets, encrypted with the installation's key. */
export interface SealedRequest {
  readonly sealed: string;
}

/** When a run may give the result of an earlier one that was asked the same, in place of making it again. */
export interface CachePolicy {
  /** How old that result may be; 0 lets none be found. */
  readonly maximumAgeSeconds: number;
  /** How long what this run makes is kept for later ones. */
  readonly ttlSeconds: number;
  /** True when the flow's own setting asks for it: then what a model has answered is given again, too. */
  readonly byAuthor: boolean;
}

/**
 * What asks an executor for an attempt: the body of a message on `millrace.runs`, as JSON. Reply address, run id
 * (correlation id), expiry and trace context travel as message properties.
 */
export interface Job {
  readonly schemaVersion: 1;
  readonly runId: string;
  readonly lane: Lane;
  readonly pool: string;
  readonly flowId: string;
  readonly flowVersion: number;
  /** Who the run belongs to; its variables are used. */
  readonly userId: string;
  /** True when the run has a row before it starts: claimed, fenced and completed there. */
  readonly durable: boolean;
  /**
   * Milliseconds since the epoch by the sender's clock, as is `acceptedAt`: the difference of the two is the time that
   * was left when the job was sent. Null for background runs: their limit counts from the claim.
   */
  readonly deadline: number | null;
  readonly acceptedAt: number;
  /** The request itself, or null when it is in the run's row (durable) or under `claimCheck`. */
  readonly request: RunRequest | SealedRequest | null;
  /** Key in the key-value store that holds the request. */
  readonly claimCheck: string | null;
  /**
   * The worker that stopped in order with this run in hand and sent it on. Whatever attempt of its the row still shows is
   * nobody's, and does not count.
   */
  readonly leftBy?: string;
  /**
   * The deadline by the database's clock. Each process measures how far its own clock is from that one, so a difference
   * between the clocks of sender and executor does not count. Absent when the sender has not measured it.
   */
  readonly databaseDeadline?: number;
  /** The HTTP request that asked for the run; the row of a durable run has its own. */
  readonly requestId?: string;
  /** Absent when the run is to do its work whatever others have done. */
  readonly cache?: CachePolicy;
}
