import type { MessageUsage } from '@millrace/python-text';

/** A try of a call of a model, before it is sent. */
export interface PricedCall {
  /** The display name of the provider. */
  readonly provider: string;
  readonly model: string;
  /** At least as many tokens as the provider counts for the request. */
  readonly inputTokens: number;
  /** The most tokens that one answer can have; null when only the model limits them. */
  readonly outputTokens: number | null;
  /** The number of answers that the request asks for. */
  readonly answers: number;
}

/** The stored worst case of a try. Without a settlement it counts in full. */
export interface SpendReservation {
  /**
   * Replaces the worst case by the tokens that the provider reports; null keeps it as an estimate. Only the first settlement
   * counts. Never rejects.
   */
  settle(usage: Pick<MessageUsage, 'input_tokens' | 'output_tokens'> | null): Promise<void>;
}

/** Holds the calls of models within the budgets that apply to a run. */
export interface ModelSpending {
  /**
   * Stores the worst case of a try before it is sent; null, at once, where no budget applies. Rejects with a RunError
   * `budget_exceeded` when a budget has too little left for it.
   */
  reserve(call: () => PricedCall): Promise<SpendReservation | null> | null;
}
