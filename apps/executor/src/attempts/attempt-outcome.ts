import type { CacheUse, RunEnd, RunFailure, DeduplicatedText } from '@millrace/messages';
import type { MessageRow, SuspendedAttempt } from '@millrace/runs';
import type { AttemptRecord } from './vertex-records/run-recorder';

/** What a run asks and keeps while it waits for a person. */
export type Suspension = Pick<SuspendedAttempt, 'results' | 'requests' | 'innerVersions'>;

/** How an attempt ended; `body` is the RunResponse or the RunFailure as JSON in UTF-8, serialized once. */
export interface AttemptOutcome {
  readonly status: RunEnd;
  readonly body: Buffer | DeduplicatedText;
  readonly failure: RunFailure | null;
  readonly messages: readonly MessageRow[];
  /** False: no component of this version of the flow reads messages. */
  readonly readsSession?: boolean;
  /** True when the database or Python was unavailable, which the run did not cause: another attempt can succeed. */
  readonly byOutage: boolean;
  /** Set when the run waits for a person: the attempt has succeeded so far, and `body` is empty. */
  readonly suspension?: Suspension;
  /** Set for a failure with which every other attempt would end, too. */
  readonly isPermanent?: true;
  /** The cause of a failure that the flow did not cause. */
  readonly error?: Error;
  /** Whether a cached result was used; absent when the run had no cache policy, or the cache was not consulted. */
  readonly cache?: CacheUse;
  /** What the attempt did; absent when nothing was recorded. */
  readonly record?: AttemptRecord;
}
