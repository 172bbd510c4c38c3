/** Resource limits of one script call. */
export interface ScriptLimits {
  readonly maximumMilliseconds: number;
  readonly maximumMemoryBytes: number;
}

/**
 * Maximum size of the input and of the result of a script as JSON, which the event loop can process without a
 * noticeable delay.
 */
export const maximumJsonCharacters = 4 * 1024 * 1024;
