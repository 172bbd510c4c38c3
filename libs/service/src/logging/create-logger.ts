import cluster from 'node:cluster';
import { trace } from '@opentelemetry/api';
import type { DestinationStream } from 'pino';
import { GroupedLines } from './grouped-lines';
import type { Logger, LogLevel, LogMethod } from './logger';
import { prettyStream } from './pretty-stream';
import { quotedText, redactedMembers } from './redaction';
import { timeText } from './time-text';

/** One for all loggers of the process, so that their lines keep their order. */
const standardOutput = new GroupedLines();

const SEVERITIES: Readonly<Record<LogLevel, number>> = {
  debug: 20,
  info: 30,
  warn: 40,
  error: 50,
  fatal: 60,
  silent: Infinity,
};

export type LogFormat = 'auto' | 'json' | 'pretty';

export interface LoggerOptions {
  readonly name: string;
  readonly level: LogLevel;
  /** `auto` is pretty on a terminal and JSON elsewhere; JSON unless given. */
  readonly format?: LogFormat;
  /** Destination of the lines; standard output unless given. */
  readonly destination?: DestinationStream;
}

/**
 * Creates a logger that writes JSON lines with ISO time, level by name and, inside a span, its ids; or human-readable
 * lines, if pino-pretty is installed.
 */
export function createLogger({ name, level, format = 'json', destination }: LoggerOptions): Logger {
  const isPretty = format === 'pretty' || (format === 'auto' && process.stdout.isTTY);
  // Workers of one service share one stream.
  const base = redactedMembers(cluster.isWorker ? { name, pid: process.pid } : { name });
  const stream = destination ?? (isPretty ? prettyStream() : undefined);
  return loggerOf(
    level,
    base,
    stream === undefined
      ? (line, isUrgent) => standardOutput.write(line, isUrgent)
      : (line) => stream.write(line),
  );
}

type WriteLine = (line: string, isUrgent: boolean) => void;

/** `base` is what all lines contain: JSON members, each after a comma. */
function loggerOf(level: LogLevel, base: string, write: WriteLine): Logger {
  const method = (name: LogLevel): LogMethod => {
    if (SEVERITIES[name] < SEVERITIES[level]) return () => undefined;
    const start = `{"level":"${name}","time":"`;
    const isUrgent = SEVERITIES[name] >= SEVERITIES.warn;
    return (fields, message) => {
      const members = base + traceMembers() + redactedMembers(fields);
      write(`${start}${timeText()}"${members},"msg":${quotedText(message)}}\n`, isUrgent);
    };
  };
  return {
    level,
    debug: method('debug'),
    info: method('info'),
    warn: method('warn'),
    error: method('error'),
    fatal: method('fatal'),
    child: (fields) => loggerOf(level, base + redactedMembers(fields), write),
  };
}

function traceMembers(): string {
  const context = trace.getActiveSpan()?.spanContext();
  if (context === undefined) return '';
  const { traceId, spanId } = context;
  // Collectors look for the names of OpenTelemetry; the others are those of earlier releases.
  return `,"trace_id":"${traceId}","span_id":"${spanId}","traceId":"${traceId}","spanId":"${spanId}"`;
}
