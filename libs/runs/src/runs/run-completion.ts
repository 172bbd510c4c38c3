import type { RunEnd, RunFailure } from '@millrace/contracts';
import type { MessageRow } from '../messages/message-row';
import type { NewRun } from './run-record';

/** A run and the attempt that somebody has in hand. */
export interface HeldRun {
  readonly runId: string;
  readonly attempt: number;
}

/** A claimed run that is given back. */
export interface ReleasedRun extends HeldRun {
  /** No queue has a message of it any more: the sweeper is to publish one. */
  readonly isMessageGone?: boolean;
}

/** How an attempt at a claimed run ended. */
export interface RunCompletion extends HeldRun {
  readonly status: RunEnd;
  /** The RunResponse as JSON text; it is stored and given back as it is. */
  readonly result: string | null;
  readonly failure: RunFailure | null;
  readonly messages: readonly MessageRow[];
}

/** A run that had no row while it ran. Its times are the database's, as its executor knows them. */
export interface InteractiveRun extends NewRun {
  readonly attempt: number;
  readonly worker: string;
  readonly status: RunEnd;
  readonly result: string | null;
  readonly failure: RunFailure | null;
  readonly acceptedAt: Date;
  readonly startedAt: Date;
  readonly finishedAt: Date;
  readonly messages: readonly MessageRow[];
}

export interface EndingOptions {
  /** An earlier try may have been committed although its answer never came: its runs count as stored. */
  readonly afterUnknownOutcome?: boolean;
}
