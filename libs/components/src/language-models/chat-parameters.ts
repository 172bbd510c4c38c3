/** Values of a model's settings as an author gave them; null, empty or 0 tokens means: leave it to the provider. */
export interface ChatParameters {
  readonly temperature: number | null;
  readonly maximumTokens: number | null;
  readonly seed?: number | null;
  readonly topP?: number | null;
  readonly topK?: number | null;
  /** Ask for an answer that is JSON. */
  readonly json?: boolean;
  /** Members of the body that an author wrote himself. */
  readonly further?: Readonly<Record<string, unknown>>;
}
