import type { Logger, LogMethod } from '../logging/logger';

export interface LogLine {
  readonly level: string;
  readonly message: string;
  readonly fields: object;
}

/** A logger that records its lines for tests; `fieldsOf` returns the fields of those with a message. */
export function recordingLogger(): Logger & {
  readonly lines: readonly LogLine[];
  readonly fieldsOf: (message: string) => object[];
} {
  const lines: LogLine[] = [];
  const at =
    (level: string): LogMethod =>
    (fields, message) =>
      lines.push({ level, message, fields });
  const logger = {
    lines,
    fieldsOf: (text: string) => lines.filter(({ message }) => message === text).map(({ fields }) => fields),
    level: 'debug',
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    fatal: at('fatal'),
    child: () => logger,
  };
  return logger;
}
