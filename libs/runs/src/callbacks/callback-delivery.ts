import type { AmqpTarget, CallbackKind } from '@millrace/flow';
import type { RunStatus } from '../run-record/run-record';
import type { StoredRequest } from '../human-requests/stored-request';
import type { RequestLinks } from '../human-requests/decision-links';

export const callbackStates = ['pending', 'delivered', 'dead'] as const;
/** Dead: it was retried until its time was over, or the receiver does not want it any more. */
export type CallbackState = (typeof callbackStates)[number];

/** The report of the end or the pause of a run to one address. */
export interface CallbackDelivery {
  /** The `webhook-id` of every attempt. */
  readonly id: string;
  /** Null for a report of an alert. */
  readonly runId: string | null;
  readonly flowId: string;
  readonly kind: CallbackKind;
  /** `amqp:` and the name of a variable for a report to an exchange. */
  readonly url: string;
  /** The exchange; null for a report to an address. */
  readonly amqp: AmqpTarget | null;
  readonly state: CallbackState;
  readonly attempts: number;
  /** When the next attempt is made; null unless pending. */
  readonly dueAt: Date | null;
  readonly createdAt: Date;
  readonly deliveredAt: Date | null;
  /** The status of the last answer; null without one. */
  readonly lastStatus: number | null;
  /** Why the last attempt failed; null when it did not, and before the first. */
  readonly lastError: string | null;
}

/** One attempt of a delivery that ended. */
export interface CallbackAttempt {
  readonly number: number;
  readonly at: Date;
  readonly milliseconds: number;
  /** The status of the answer; null without one. */
  readonly status: number | null;
  readonly error: string | null;
  /** The beginning of the answer's body. */
  readonly answer: string | null;
}

/** A delivery to attempt now, with what it reports. */
export interface DueCallback {
  readonly id: string;
  readonly userId: string;
  readonly kind: CallbackKind;
  readonly url: string;
  /** The exchange; null for a report to an address. */
  readonly amqp: AmqpTarget | null;
  /** Deliveries with the same target share a circuit breaker and a limit of connections. */
  readonly target: string;
  /** Names of the variables with the signing secrets. */
  readonly secrets: readonly string[];
  /** The number of this attempt; earlier ones of a crashed process count. */
  readonly attempt: number;
  /** The number of this attempt since the last replay, from 1. */
  readonly tries: number;
  readonly run: ReportedRun;
  /** What the run asks a person; null unless the kind is `waiting`, and when the run does not ask it any more. */
  readonly waiting: WaitingReport | null;
  /** The share of a budget that is passed; null unless the kind is `budget`. The run has its ids only then. */
  readonly budget: BudgetReport | null;
  /** The alert of the flow that began or ended; null unless the kind is `alert`, whose run has no id. */
  readonly alert: AlertReport | null;
}

/** What a report says of an alert, in the names of its body. */
export interface AlertReport {
  readonly alert_id: string;
  readonly state: 'began' | 'ended';
  readonly flow_id: string;
  /** The name of the rule, and what it said when the alert began. */
  readonly rule: string;
  readonly measure: string;
  readonly threshold: number;
  readonly window_minutes: number;
  /** What was measured; null when the rule was changed or removed, or nothing could be measured. */
  readonly value: number | null;
  /** The runs that ended in the window. */
  readonly runs: number | null;
  readonly began_at: string;
  readonly ended_at: string | null;
}

/** What a report says of a budget of which a share is passed, in the names of its body. */
export interface BudgetReport {
  readonly scope: string;
  /** The id of what the budget is of: a key, user, project or flow, or the run. */
  readonly id: string;
  readonly period: string;
  /** Begin of the period. */
  readonly start: string;
  readonly dollars: number;
  readonly tokens: number;
  readonly dollars_limit: number | null;
  readonly tokens_limit: number | null;
  /** The run whose call passed the share. */
  readonly run_id: string;
  readonly flow_id: string;
  readonly passed_at: string;
}

/** What a report says of a run that waits for a person. */
export interface WaitingReport {
  readonly request: StoredRequest;
  readonly links: RequestLinks;
}

/** What a callback reports about a run. */
export interface ReportedRun {
  /** Null in a report of an alert, which is about no run. */
  readonly id: string | null;
  readonly flowId: string;
  readonly flowVersion: number;
  readonly sessionId: string;
  readonly status: RunStatus;
  readonly attempt: number;
  readonly replayOf: string | null;
  readonly acceptedAt: Date;
  /** Null for a run that waits. */
  readonly finishedAt: Date | null;
  /** JSON text of a RunFailure. */
  readonly failureText: string | null;
  /** JSON text of a RunUsage. */
  readonly usageText: string | null;
  /**
   * JSON text of the result, which CallbackStore.whole reads where it is in the object store; null without one, when it is too
   * large, or when the callback omits it.
   */
  readonly resultText: string | null;
  /** The run has a result that is too large. */
  readonly isResultTooLarge: boolean;
}

/** How an attempt ended. */
export interface AttemptOutcome {
  readonly id: string;
  readonly attempt: number;
  /** When to try again, in milliseconds; `never` for a receiver that does not want the report. Delivered: null. */
  readonly retryIn: number | 'never' | null;
  readonly milliseconds: number;
  readonly status: number | null;
  readonly error: string | null;
  readonly answer: string | null;
}
