export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';

/** Writes one line: fields first, then what happened in plain words. An Error among the fields keeps stack and cause. */
export type LogMethod = (fields: object, message: string) => void;

/** Structured log. Secrets among fields and messages are hidden; nothing else is promised to be. */
export interface Logger {
  readonly level: string;
  readonly debug: LogMethod;
  readonly info: LogMethod;
  readonly warn: LogMethod;
  readonly error: LogMethod;
  readonly fatal: LogMethod;
  /** A logger that adds these fields to each line. */
  child(fields: object): Logger;
}
