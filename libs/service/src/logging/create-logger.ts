import cluster from 'node:cluster';
import { createRequire } from 'node:module';
import { trace } from '@opentelemetry/api';
import { pino } from 'pino';
import type { DestinationStream, Logger as PinoLogger } from 'pino';
import type { Logger, LogLevel } from './logger';
import { redactFields, redactText } from './redaction';

export interface LoggerOptions {
  readonly name: string;
  readonly level: LogLevel;
  /** Lines for people; only where standard output is a terminal and pino-pretty is installed. */
  readonly pretty?: boolean;
  /** Where lines go; standard output unless given. */
  readonly destination?: DestinationStream;
}

/** A logger that writes JSON lines with ISO time, level by name and, inside a span, its trace id. */
export function createLogger({ name, level, pretty = false, destination }: LoggerOptions): Logger {
  const options = {
    level,
    // Workers of one service write to one stream.
    base: cluster.isWorker ? { name, pid: process.pid } : { name },
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }), log: redactFields },
    mixin: activeTrace,
  };
  const stream = destination ?? (pretty ? prettyStream() : undefined);
  return wrap(stream === undefined ? pino(options) : pino(options, stream));
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
  return context === undefined ? {} : { traceId: context.traceId, spanId: context.spanId };
}

/** Undefined where nobody reads along or the optional package is missing: plain lines then. */
function prettyStream(): DestinationStream | undefined {
  if (!process.stdout.isTTY) return undefined;
  try {
    // Loaded only here: a server that writes JSON lines never pays for it.
    const load = createRequire(__filename)('pino-pretty') as (options: object) => DestinationStream;
    return load({ sync: true, ignore: 'pid,hostname', translateTime: 'SYS:HH:MM:ss.l' });
  } catch {
    return undefined;
  }
}
