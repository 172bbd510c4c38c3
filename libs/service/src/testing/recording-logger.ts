import type { Logger, LogMethod } from '../logging/logger';

export interface LogLine {
  readonly level: string;
  readonly message: string;
  readonly fields: object;
}

/** A logger that records its lines for tests. */
export function recordingLogger(): Logger & { readonly lines: readonly LogLine[] } {
  const lines: LogLine[] = [];
  const at =
    (level: string): LogMethod =>
    (fields, message) =>
      lines.push({ level, message, fields });
  const logger = {
    lines,
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
