import { machineTime } from '@millrace/service';
import type { Logger } from '@millrace/service';
import { DatabaseUnavailableError } from '../database';
import { EmbeddedWorker } from './embedded-worker';
import type { EmbeddedWorkerOptions } from './embedded-worker';

const pauseBetweenStartsMilliseconds = 5_000;
const graceForAbandonedStatementsMilliseconds = 10_000;

export interface EmbeddedServerOptions extends EmbeddedWorkerOptions {
  readonly logger: Logger;
}

/**
 * Keeps one embedded database running: restarts its worker after a crash or a hang, except for a database in memory,
 * where a new worker would silently be empty.
 */
export class EmbeddedServer {
  readonly #options: EmbeddedServerOptions;
  #worker: EmbeddedWorker;
  #restart: Promise<EmbeddedWorker> | undefined;
  #earliestRestart = 0;
  #closed = false;

  static async start(options: EmbeddedServerOptions): Promise<EmbeddedServer> {
    return new EmbeddedServer(options, await EmbeddedWorker.start(workerOptions(options)));
  }

  private constructor(options: EmbeddedServerOptions, worker: EmbeddedWorker) {
    this.#options = options;
    this.#worker = worker;
    this.#watch(worker);
  }

  /** Returns the running worker. Callers must keep using theirs: a successor has none of the old worker's sessions. */
  async worker(): Promise<EmbeddedWorker> {
    if (this.#worker.running) return this.#worker;
    if (this.#closed) throw new DatabaseUnavailableError('The embedded database is closed');
    this.#restart ??= this.#startAgain().finally(() => {
      this.#restart = undefined;
    });
    return this.#restart;
  }

  /** Notes that no caller waits for this worker's answers; a worker that does not recover is replaced. */
  abandon(worker: EmbeddedWorker): void {
    if (worker.unanswered === 0 || !worker.running || this.#options.dataDirectory === undefined) return;
    const timer = setTimeout(() => {
      if (worker.unanswered === 0 || !worker.running) return;
      this.#options.logger.error({}, 'embedded database hangs in a statement; restarting it');
      void worker.terminate();
    }, graceForAbandonedStatementsMilliseconds);
    timer.unref();
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#restart?.catch(() => undefined);
    await this.#worker.close();
  }

  async #startAgain(): Promise<EmbeddedWorker> {
    const { dataDirectory, logger } = this.#options;
    if (dataDirectory === undefined) {
      throw new DatabaseUnavailableError('The embedded database has ended, and its data was only in memory');
    }
    if (machineTime() < this.#earliestRestart) {
      throw new DatabaseUnavailableError('The embedded database crashed and will be restarted');
    }
    await this.#worker.ended;
    try {
      this.#worker = await EmbeddedWorker.start(workerOptions(this.#options));
    } finally {
      // Measured from the end of the start: a start with recovery takes longer than the pause.
      this.#earliestRestart = machineTime() + pauseBetweenStartsMilliseconds;
    }
    this.#watch(this.#worker);
    logger.warn({ dataDirectory }, 'embedded database restarted');
    return this.#worker;
  }

  #watch(worker: EmbeddedWorker): void {
    const { logger, dataDirectory } = this.#options;
    worker.onCheckpoint(({ milliseconds, failure }) => {
      if (failure === undefined) logger.info({ milliseconds }, 'embedded database completed a checkpoint');
      else logger.error({ reason: failure }, 'checkpoint of the embedded database failed');
    });
    void worker.ended.then(() => {
      if (this.#closed) return;
      logger.error({ dataDirectory, reason: worker.endReason }, 'embedded database crashed');
    });
  }
}

/** Returns the options that can be passed to a thread; a logger cannot. */
function workerOptions({ dataDirectory, durability, image }: EmbeddedServerOptions): EmbeddedWorkerOptions {
  return { dataDirectory, durability, image };
}
