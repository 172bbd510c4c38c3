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
 * Keeps one embedded database running: starts its worker again after it broke down or hung, unless it lives in
 * memory, where a new worker would silently be empty.
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

  /** The running worker. Whoever holds one keeps to it: a successor knows nothing of the old one's sessions. */
  async worker(): Promise<EmbeddedWorker> {
    if (this.#worker.running) return this.#worker;
    if (this.#closed) throw new DatabaseUnavailableError('The embedded database is closed');
    this.#restart ??= this.#startAgain().finally(() => {
      this.#restart = undefined;
    });
    return this.#restart;
  }

  /** Says that nobody waits for this worker's answers any more; one that does not recover is replaced. */
  abandon(worker: EmbeddedWorker): void {
    if (worker.unanswered === 0 || !worker.running || this.#options.dataDirectory === undefined) return;
    const timer = setTimeout(() => {
      if (worker.unanswered === 0 || !worker.running) return;
      this.#options.logger.error({}, 'The embedded database hangs in a statement and is started again');
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
      throw new DatabaseUnavailableError('The embedded database has ended, and its memory with it');
    }
    if (Date.now() < this.#earliestRestart) {
      throw new DatabaseUnavailableError('The embedded database broke down and waits to be started again');
    }
    await this.#worker.ended;
    try {
      this.#worker = await EmbeddedWorker.start(workerOptions(this.#options));
    } finally {
      // From its end: a start that recovers takes longer than the pause.
      this.#earliestRestart = Date.now() + pauseBetweenStartsMilliseconds;
    }
    this.#watch(this.#worker);
    logger.warn({ dataDirectory }, 'The embedded database was started again');
    return this.#worker;
  }

  #watch(worker: EmbeddedWorker): void {
    const { logger, dataDirectory } = this.#options;
    worker.onCheckpoint(({ milliseconds, failure }) => {
      if (failure === undefined) logger.info({ milliseconds }, 'The embedded database made a checkpoint');
      else logger.error({ reason: failure }, 'A checkpoint of the embedded database failed');
    });
    void worker.ended.then(() => {
      if (this.#closed) return;
      logger.error({ dataDirectory, reason: worker.endReason }, 'The embedded database broke down');
    });
  }
}

/** What can be handed to a thread; a logger cannot. */
function workerOptions({ dataDirectory, durability }: EmbeddedServerOptions): EmbeddedWorkerOptions {
  return { dataDirectory, durability };
}
