/** What a run used of one model. */
export interface ModelUsage {
  readonly provider: string;
  readonly model: string;
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** In US dollars; null when the price of the model is not known. */
  readonly cost: number | null;
  /** Calls without a known price, or without a report of tokens. */
  readonly unpricedCalls: number;
}

/** What a run used of all models: the sum of its attempts. Calls of an attempt that crashed are not included. */
export interface RunUsage {
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** In US dollars, of the calls whose price is known; null when no price is known. */
  readonly cost: number | null;
  /** Calls without a known price, or without a report of tokens. */
  readonly unpricedCalls: number;
  readonly models: readonly ModelUsage[];
}
