/** What one call of a script may use. */
export interface ScriptLimits {
  readonly maximumMilliseconds: number;
  readonly maximumMemoryBytes: number;
}

/**
 * How much JSON goes into a script, and how much comes out of it: what the event loop writes and reads without holding
 * anybody up.
 */
export const maximumJsonCharacters = 4 * 1024 * 1024;
