import type { AbortReason } from '../running-attempts';
import type { AttemptOrder } from '../attempt-order';
import type { AttemptOutcome } from '../attempt-outcome';

/** The order of an isolated attempt: all members that can be serialized. */
export type IsolatedOrder = Pick<
  AttemptOrder,
  | 'runId'
  | 'attempt'
  | 'userId'
  | 'flowId'
  | 'keyId'
  | 'request'
  | 'durable'
  | 'deadline'
  | 'maximumAnswerBytes'
  | 'recordSettings'
> & {
  readonly flowVersion: number;
  /** The trace of the run; null when the executor is not traced. */
  readonly traceparent: string | null;
};

/** Messages from an executor to the process that it has forked. */
export type ToChild =
  | { readonly kind: 'run'; readonly order: IsolatedOrder }
  | { readonly kind: 'abort'; readonly reason: AbortReason };

/** Messages from that process, which exits after the outcome. */
export type FromChild =
  /** It is ready for an order. */
  | { readonly kind: 'ready' }
  /** A RunEvent as JSON. */
  | { readonly kind: 'event'; readonly text: string }
  | { readonly kind: 'outcome'; readonly outcome: AttemptOutcome };
