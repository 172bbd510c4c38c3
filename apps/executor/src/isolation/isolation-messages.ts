import type { AttemptOrder, AttemptOutcome } from '../attempt';
import type { AbortReason } from '../running-attempts';

/** What an attempt in a process of its own is told: all of an attempt's order that can be said. */
export type IsolatedOrder = Pick<
  AttemptOrder,
  'runId' | 'attempt' | 'userId' | 'flowId' | 'request' | 'durable' | 'deadline' | 'maximumAnswerBytes'
> & { readonly flowVersion: number };

/** From an executor to the process that it has forked. */
export type ToChild =
  | { readonly kind: 'run'; readonly order: IsolatedOrder }
  | { readonly kind: 'abort'; readonly reason: AbortReason };

/** From that process; it ends after the outcome. */
export type FromChild =
  /** It can be given an order. */
  | { readonly kind: 'ready' }
  /** A RunEvent as JSON. */
  | { readonly kind: 'event'; readonly text: string }
  | { readonly kind: 'outcome'; readonly outcome: AttemptOutcome };
