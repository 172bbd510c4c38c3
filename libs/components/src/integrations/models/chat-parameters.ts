/** A model's settings as the author entered them. Null, empty or 0 tokens: use the provider's default. */
export interface ChatParameters {
  readonly temperature: number | null;
  readonly maximumTokens: number | null;
  readonly seed?: number | null;
  readonly topP?: number | null;
  readonly topK?: number | null;
  /** Request an answer in JSON. */
  readonly json?: boolean;
  /** Additional members of the request body, written by the author. */
  readonly further?: Readonly<Record<string, unknown>>;
}
