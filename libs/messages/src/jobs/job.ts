import type { RecordSettings, RunRequest } from '@millrace/flow';

export type Lane = 'interactive' | 'background';

/** A request that can contain secrets, encrypted with the installation's key. */
export interface SealedRequest {
  readonly sealed: string;
}

/** When a run can return the result of an earlier run with the same request. */
export interface CachePolicy {
  /** Maximum age of that result; 0 means that no result is reused. */
  readonly maximumAgeSeconds: number;
  /** How long the result of this run is cached. */
  readonly ttlSeconds: number;
  /** True when the flow's setting requests caching: then model output is cached as well. */
  readonly byAuthor: boolean;
}

/**
 * A job, which requests an attempt from an executor: the body of a message on `millrace.runs`, as JSON. Reply address,
 * run id (correlation id), expiry and trace context are message properties.
 */
export interface Job {
  readonly schemaVersion: 1;
  readonly runId: string;
  readonly lane: Lane;
  readonly pool: string;
  readonly flowId: string;
  readonly flowVersion: number;
  /** The owner of the run, whose variables are used. */
  readonly userId: string;
  /** True when the run has a row before it starts, in which it is claimed, fenced and completed. */
  readonly durable: boolean;
  /**
   * Milliseconds since the epoch by the sender's clock, like `acceptedAt`: the difference of the two is the time that
   * remained when the job was sent. Null for background runs, whose limit counts from the claim.
   */
  readonly deadline: number | null;
  readonly acceptedAt: number;
  /** The request, or null when it is in the run's row (durable) or under `claimCheck`. */
  readonly request: RunRequest | SealedRequest | null;
  /** Key of the request in the key-value store (payload reference). */
  readonly claimCheck: string | null;
  /**
   * The worker that shut down gracefully and handed off this run. Its attempt, if the row still shows one, has no owner
   * and is not counted.
   */
  readonly leftBy?: string;
  /**
   * The deadline by the database's clock. Each process measures the difference between its clock and that one, so a
   * difference between the clocks of sender and executor has no effect. Absent when the sender has not measured it.
   */
  readonly databaseDeadline?: number;
  /** The HTTP request that started the run; the row of a durable run has its own. */
  readonly requestId?: string;
  /** The API key that asked for the run; the request of a durable run has it. */
  readonly keyId?: string;
  /** What the flow sets for the records of its vertices; the row of a durable run refers to the flow. */
  readonly records?: RecordSettings;
  /**
   * True when the gateway of the reply queue reads replies of type `batch`, 2 when it also reads answers with header
   * `x-texts`; absent for one of an earlier release, and on the embedded bus.
   */
  readonly batchedReplies?: true | 2;
  /** Absent when the run does not use the cache. */
  readonly cache?: CachePolicy;
}
