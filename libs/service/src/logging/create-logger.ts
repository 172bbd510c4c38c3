import cluster from 'node:cluster';
import { trace } from '@opentelemetry/api';
import { pino } from 'pino';
import type { DestinationStream, Logger as PinoLogger } from 'pino';
import { GroupedLines } from './grouped-lines';
import type { Logger, LogLevel } from './logger';
import { prettyStream } from './pretty-stream';
import { redactFields, redactText } from './redaction';
import { machineTime } from '../time/machine-time';

/** One for all loggers of the process, so that their lines keep their order. */
const standardOutput = new GroupedLines();

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
  const options = {
    level,
    // Workers of one service share one stream.
    base: cluster.isWorker ? { name, pid: process.pid } : { name },
    timestamp: () => `,"time":"${new Date(machineTime()).toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }), log: redactFields },
    mixin: activeTrace,
  };
  const isPretty = format === 'pretty' || (format === 'auto' && process.stdout.isTTY);
  const stream = destination ?? (isPretty ? prettyStream() : standardOutput);
  return wrap(pino(options, stream));
}

function wrap(logger: PinoLogger): Logger {
  return {
    get level() {
      return logger.level;
    },
    debug: (fields, message) => logger.debug(fields, redactText(message)),
    info: (fields, message) => logger.info(fields, redactText(message)),
    warn: (fields, message) => logger.warn(fields, redactText(message)),
    error: (fields, message) => logger.error(fields, redactText(message)),
    fatal: (fields, message) => logger.fatal(fields, redactText(message)),
    child: (fields) => wrap(logger.child(redactFields(fields))),
  };
}

function activeTrace(): object {
  const context = trace.getActiveSpan()?.spanContext();
  if (context === undefined) return {};
  const { traceId, spanId } = context;
  // Collectors look for the names of OpenTelemetry; the others are those of earlier releases.
  return { trace_id: traceId, span_id: spanId, traceId, spanId };
}
