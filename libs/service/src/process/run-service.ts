import cluster from 'node:cluster';
import type { Logger } from '../logging/logger';
import { redactText } from '../logging/redaction';
import { SettingsError } from '../settings/settings-error';
import { withDeadline } from '../time/with-deadline';
import { EXIT_CONFIGURATION } from './exit-codes';
import { onStopSignal } from './on-stop-signal';
import { StartError } from './start-error';
import { superviseWorkers } from './workers/supervise-workers';
import { sendToSupervisor } from './workers/worker-messages';
import type { MessageToWorker } from './workers/worker-messages';
import type { RestartRule } from './workers/worker-slot';

export interface RunningService {
  /** Stops accepting work, completes current work, disconnects. */
  close(): Promise<void>;
}

export interface RunServiceOptions {
  readonly name: string;
  /** Not used while settings are read: a SettingsError is written to standard error unchanged. */
  readonly logger: Logger;
  readonly start: () => Promise<RunningService>;
  readonly shutdownMilliseconds: number;
  /** Sentences about the settings, logged once at start, not by each worker process. */
  readonly warnings?: readonly string[];
  /** Number of worker processes; with two or more this process only supervises them. */
  readonly workers?: number;
  /** Rule for replacing worker processes that ended. */
  readonly restarts?: RestartRule;
}

/**
 * Runs the process of a service from start to exit. SIGTERM or SIGINT closes it: exit code 0 when that ends in time, 1
 * when it does not; a second signal, a second later or more, exits at once. Exit code 78 when `start` finds the
 * settings wrong, the code of a StartError, 1 for any other failed start and for unhandled errors. A failed start
 * prints one sentence on standard error. A signal during the start closes the service once it has started.
 *
 * With several workers each worker process does this, except that its supervisor controls when and how often it stops;
 * a worker that loses its supervisor stops as well.
 */
export function runService(options: RunServiceOptions): void {
  const { name, logger, start, shutdownMilliseconds, workers = 1, warnings = [] } = options;
  if (cluster.isPrimary) for (const warning of warnings) logger.warn({}, `${name}: ${warning}`);
  if (workers > 1 && cluster.isPrimary) return superviseWorkers({ ...options, count: workers });
  let stopping = false;
  const starting = Promise.resolve().then(start);

  const stop = async (signal: string): Promise<void> => {
    if (stopping) {
      // A process group can receive the signal as a whole in addition to the supervisor's message.
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
  if (cluster.isWorker) followSupervisor((reason) => void stop(reason));

  for (const event of ['unhandledRejection', 'uncaughtException'] as const)
    process.on(event, (error: unknown) => {
      logger.fatal({ error, event }, `${name}: unhandled error; exiting`);
      exit(1);
    });

  starting.then(
    () => {
      if (cluster.isWorker) sendToSupervisor({ kind: 'ready' });
    },
    (error: unknown) => {
      if (stopping) return;
      exit(reportFailedStart(name, logger, error));
    },
  );
}

/** Stops on the supervisor's message, and when the supervisor is lost, because no other process would stop it. */
function followSupervisor(stop: (reason: string) => void): void {
  process.on('message', (message: MessageToWorker) => {
    if (message.kind === 'stop') stop('supervisor');
  });
  cluster.worker?.on('disconnect', () => {
    // Otherwise Node exits immediately.
    if (cluster.worker) cluster.worker.exitedAfterDisconnect = true;
    stop('supervisor lost');
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

/** Returns the messages of an error and its causes. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (!(error.cause instanceof Error) || error.message.includes(error.cause.message)) return error.message;
  return `${error.message}: ${reasonOf(error.cause)}`;
}

function exit(code: number): never {
  process.exit(code);
}
