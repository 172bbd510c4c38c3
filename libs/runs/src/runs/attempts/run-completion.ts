import type { RunRecords } from '@millrace/flow';
import type { RunEnd, RunFailure, DeduplicatedText } from '@millrace/messages';
import type { MessageRow } from '../../messages/message-row';
import type { NewRun } from '../../run-record/run-record';

/** An attempt of a run. */
export interface RunAttempt {
  readonly runId: string;
  readonly attempt: number;
}

/** A claimed run that its worker releases. */
export interface ReleasedRun extends RunAttempt {
  /** No queue contains a message of the run any more: the sweeper has to publish one. */
  readonly isMessageLost?: boolean;
}

/** What an attempt reports about its vertices and models. */
export interface RunObservations {
  /** A RunTrace as JSON text; null or absent when none is kept. */
  readonly trace?: string | null;
  /** A RunUsage as JSON text, earlier attempts included; null or absent when no model was called. */
  readonly usage?: string | null;
}

/** The end of an attempt of a claimed run. */
export interface RunCompletion extends RunAttempt, RunObservations {
  readonly status: RunEnd;
  /** The flow and the session of the row: a result that contains them refers to the row's. */
  readonly flowId?: string;
  readonly sessionId?: string;
  /** The RunResponse as JSON, stored and returned unchanged: a text, or its bytes in UTF-8, with long texts apart or not. */
  readonly result: string | Buffer | DeduplicatedText | null;
  readonly failure: RunFailure | null;
  readonly messages: readonly MessageRow[];
}

/** A run that had no row while it ran. Its times are on the database's clock, as its executor knows it. */
export interface InteractiveRun extends NewRun, RunObservations {
  readonly attempt: number;
  readonly worker: string;
  /** With `lean` the row has neither request nor result; with `none` only the messages are stored. `full` unless given. */
  readonly kept?: RunRecords;
  readonly status: RunEnd;
  readonly result: string | Buffer | DeduplicatedText | null;
  readonly failure: RunFailure | null;
  readonly acceptedAt: Date;
  readonly startedAt: Date;
  readonly finishedAt: Date;
  readonly messages: readonly MessageRow[];
}

export interface EndingOptions {
  /** An earlier try may have been committed although its answer was lost: its runs count as stored. */
  readonly afterUnknownOutcome?: boolean;
  /** Called for each run whose end was not stored because another session locks its row. */
  readonly onLocked?: (runId: string) => void;
}
