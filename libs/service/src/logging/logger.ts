export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';

/**
 * Writes one line: fields first, then the event in plain words. An Error among the fields keeps its stack and cause.
 */
export type LogMethod = (fields: object, message: string) => void;

/** Structured log. Hides recognized secrets in fields and messages; hiding of other secrets is not promised. */
export interface Logger {
  readonly level: string;
  readonly debug: LogMethod;
  readonly info: LogMethod;
  readonly warn: LogMethod;
  readonly error: LogMethod;
  readonly fatal: LogMethod;
  /** Returns a logger that adds these fields to each line. */
  child(fields: object): Logger;
}
