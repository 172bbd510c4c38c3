/**
 * What comes back to a gateway's reply queue. The message's `type` property says which; `correlationId` is the run
 * id; header `x-attempt` the attempt, header `x-sequence` counts frames of an attempt from 0.
 *
 * - `events`: body is run events, one JSON object a line, as they happened.
 * - `final`: header `x-status` is `succeeded` (body: the RunResponse as JSON, passed on untouched) or another
 *   RunEnd status (body: RunFailure as JSON). Exactly one an attempt. Header `x-cache` says what came of the job's
 *   cache policy, when it had one.
 * - `recorded`: body is a JSON list of run ids whose records are now readable in the database.
 */
export type ReplyType = 'events' | 'final' | 'recorded';

export const ATTEMPT_HEADER = 'x-attempt';
export const SEQUENCE_HEADER = 'x-sequence';
export const STATUS_HEADER = 'x-status';
export const CACHE_HEADER = 'x-cache';

/** Whether a result is that of an earlier run, was made because there was none, or was made without looking. */
export type CacheUse = 'hit' | 'miss' | 'bypass';

/** The number of a final frame that was made of the run's record, after whatever frames its attempt sent. */
export const AFTER_ALL_FRAMES = 1_000_000_000;

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
