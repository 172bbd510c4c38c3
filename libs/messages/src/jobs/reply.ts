/**
 * A message in a gateway's reply queue. The message's `type` property is the kind of reply, `correlationId` the run id,
 * header `x-attempt` the attempt; header `x-sequence` numbers the frames of an attempt from 0.
 *
 * - `events`: the body contains run events, one JSON object per line, in order.
 * - `final`: header `x-status` is `succeeded` (body: the RunResponse as JSON, forwarded unchanged) or another RunEnd
 *   status (body: RunFailure as JSON). Exactly one per attempt. Header `x-cache` contains the outcome of the job's
 *   cache policy, if it had one; header `x-timing` the milliseconds that the run waited for its attempt, then those of
 *   the slowest vertex and its id, separated by blanks. With header `x-texts` the body is not the answer as it is: long
 *   texts that it contains several times stand once (see `writeDeduplicatedText`); only for a gateway whose jobs say that it
 *   reads them.
 * - `recorded`: the body is a JSON list of run ids whose records are now readable in the database.
 * - `batch`: the body contains `events` and `final` replies of several runs (see `writeReplyBatch`), for a gateway
 *   whose jobs say that it reads them.
 */
export type ReplyType = 'events' | 'final' | 'recorded';

/** The type of a message with several replies. */
export const REPLY_BATCH = 'batch';

export const ATTEMPT_HEADER = 'x-attempt';
export const SEQUENCE_HEADER = 'x-sequence';
export const STATUS_HEADER = 'x-status';
export const CACHE_HEADER = 'x-cache';
export const TIMING_HEADER = 'x-timing';
/** What is kept of the run, unless all is. */
export const RECORD_HEADER = 'x-run-record';
/** The layout of an answer whose long texts stand once in the body. */
export const TEXTS_HEADER = 'x-texts';

/**
 * `hit`: the result of an earlier run; `miss`: computed, because none was cached; `bypass`: computed without a lookup.
 */
export type CacheUse = 'hit' | 'miss' | 'bypass';

/**
 * The sequence number of a final frame that is built from the run's record: higher than that of any frame of an
 * attempt.
 */
export const AFTER_ALL_FRAMES = 1_000_000_000;

/** The status of the final frame of an attempt at whose end the run waits for a person; the body is `{}`. */
export const SUSPENDED = 'suspended';

/** How a run ended. */
export type RunEnd = 'succeeded' | 'failed' | 'cancelled' | 'timed_out' | 'dead';

export interface RunFailure {
  /** A RunErrorCode. */
  readonly code: string;
  readonly message: string;
  readonly vertex: { readonly id: string; readonly displayName: string; readonly type: string } | null;
  readonly problems: readonly {
    readonly vertexId: string | null;
    readonly componentType: string | null;
    readonly message: string;
  }[];
}
