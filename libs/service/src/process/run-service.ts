import cluster from 'node:cluster';
import type { Logger } from '../logging/logger';
import { redactText } from '../logging/redaction';
import { SettingsError } from '../settings/settings-error';
import { withDeadline } from '../time/with-deadline';
import { EXIT_CONFIGURATION } from './exit-codes';
import { onStopSignal } from './on-stop-signal';
import { StartError } from './start-error';
import { superviseWorkers } from './workers/supervise-workers';
import { tellSupervisor } from './workers/worker-messages';
import type { MessageToWorker } from './workers/worker-messages';
import type { RestartRule } from './workers/worker-slot';

export interface RunningService {
  /** Stops taking work, lets work in hand end, disconnects. */
  close(): Promise<void>;
}

export interface RunServiceOptions {
  readonly name: string;
  /** Not needed while settings are read: a SettingsError goes to standard error as it is. */
  readonly logger: Logger;
  readonly start: () => Promise<RunningService>;
  readonly shutdownMilliseconds: number;
  /** How many processes do the work; from two on this one only supervises them. */
  readonly workers?: number;
  /** When a worker process that ended is followed by another one. */
  readonly restarts?: RestartRule;
}

/**
 * Owns the process of a service from start to exit. SIGTERM or SIGINT closes it: exit code 0 when that ends in time,
 * 1 when it does not; a second signal, a second later or more, exits at once. Exit code 78 when `start` finds the
 * settings wrong, that of a StartError, 1 when it fails otherwise or when an error reaches nobody. A failed start leaves
 * one sentence on standard error. A signal that comes while starting closes what has started.
 *
 * With several workers that is what each worker process does, except that its supervisor tells it when to stop and
 * how often; one whose supervisor is gone stops, too.
 */
export function runService(options: RunServiceOptions): void {
  const { name, logger, start, shutdownMilliseconds, workers = 1 } = options;
  if (workers > 1 && cluster.isPrimary) return superviseWorkers({ ...options, count: workers });
  let stopping = false;
  const starting = Promise.resolve().then(start);

  const stop = async (signal: string): Promise<void> => {
    if (stopping) {
      // A group of processes may be told as a whole what the supervisor tells, too.
      if (cluster.isWorker) return;
      logger.warn({ signal }, `${name}: second signal, exiting at once`);
      exit(1);
    }
    stopping = true;
    logger.info({ signal, shutdownMilliseconds }, `${name}: stopping`);
    try {
      const closed = starting.then((service) => service.close());
      await withDeadline(
        closed,
        shutdownMilliseconds,
        `${name} did not stop within ${shutdownMilliseconds} ms`,
      );
      logger.info({}, `${name}: stopped`);
      exit(0);
    } catch (error) {
      logger.error({ error }, `${name}: did not stop cleanly`);
      exit(1);
    }
  };
  onStopSignal((signal) => void stop(signal));
  if (cluster.isWorker) obeySupervisor((reason) => void stop(reason));

  for (const event of ['unhandledRejection', 'uncaughtException'] as const)
    process.on(event, (error: unknown) => {
      logger.fatal({ error, event }, `${name}: an error reached nobody`);
      exit(1);
    });

  starting.then(
    () => {
      if (cluster.isWorker) tellSupervisor({ kind: 'ready' });
    },
    (error: unknown) => {
      if (stopping) return;
      exit(reportFailedStart(name, logger, error));
    },
  );
}

/** Stops when the supervisor says so, and when it is gone: then nobody else would. */
function obeySupervisor(stop: (reason: string) => void): void {
  process.on('message', (message: MessageToWorker) => {
    if (message.kind === 'stop') stop('supervisor');
  });
  cluster.worker?.on('disconnect', () => {
    // Otherwise Node ends the process here and now.
    if (cluster.worker) cluster.worker.exitedAfterDisconnect = true;
    stop('supervisor gone');
  });
}

function reportFailedStart(name: string, logger: Logger, error: unknown): number {
  if (error instanceof SettingsError) {
    process.stderr.write(`${error.message}\n`);
    return EXIT_CONFIGURATION;
  }
  if (error instanceof StartError) {
    process.stderr.write(`${error.message}\n`);
    return error.exitCode;
  }
  logger.fatal({ error }, `${name}: could not start`);
  process.stderr.write(`${name} could not start: ${redactText(reasonOf(error))}\n`);
  return 1;
}

/** The message of an error and of what caused it. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (!(error.cause instanceof Error) || error.message.includes(error.cause.message)) return error.message;
  return `${error.message}: ${reasonOf(error.cause)}`;
}

function exit(code: number): never {
  process.exit(code);
}
