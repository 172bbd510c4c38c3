import type { Logger } from '../logging/logger';
import { SettingsError } from '../settings/settings-error';
import { withDeadline } from '../time/with-deadline';

const EXIT_CONFIGURATION = 78;

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
}

/**
 * Owns the process of a service from start to exit. SIGTERM or SIGINT closes it: exit code 0 when that ends in time,
 * 1 when it does not; a second signal exits at once. Exit code 78 when `start` finds the settings wrong, 1 when it
 * fails otherwise or when an error reaches nobody. A signal that comes while starting closes what has started.
 */
export function runService({ name, logger, start, shutdownMilliseconds }: RunServiceOptions): void {
  let stopping = false;
  const starting = Promise.resolve().then(start);

  const stop = async (signal: string): Promise<void> => {
    if (stopping) {
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
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(signal));

  for (const event of ['unhandledRejection', 'uncaughtException'] as const)
    process.on(event, (error: unknown) => {
      logger.fatal({ error, event }, `${name}: an error reached nobody`);
      exit(1);
    });

  starting.catch((error: unknown) => {
    if (stopping) return;
    exit(reportFailedStart(name, logger, error));
  });
}

/**
 * Reads settings (or does other work before there is a logger) and, when they are wrong, writes every fault to
 * standard error and exits with code 78.
 */
export function orExit<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return exit(EXIT_CONFIGURATION);
  }
}

function reportFailedStart(name: string, logger: Logger, error: unknown): number {
  if (error instanceof SettingsError) {
    process.stderr.write(`${error.message}\n`);
    return EXIT_CONFIGURATION;
  }
  logger.fatal({ error }, `${name}: could not start`);
  return 1;
}

function exit(code: number): never {
  process.exit(code);
}
