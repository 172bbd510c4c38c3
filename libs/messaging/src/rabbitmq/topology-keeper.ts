import type { Logger } from '@millrace/service';
import type { ChannelModel } from 'amqplib';
import type { TopologyDeclarer } from './topology-declarer';

const INTERVAL_MILLISECONDS = 10_000;

export interface TopologyKeeperOptions {
  readonly declarer: TopologyDeclarer;
  /** Null while there is no connection. */
  readonly model: () => ChannelModel | null;
  readonly intervalMilliseconds?: number | undefined;
  readonly logger: Logger;
}

/**
 * Declares queues again that somebody deleted. Consumers and publishers notice it themselves; this is for queues that
 * only the broker writes to, such as those of dead letters.
 */
export class TopologyKeeper {
  readonly #options: TopologyKeeperOptions;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: TopologyKeeperOptions) {
    this.#options = options;
    this.#wait();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #wait(): void {
    if (this.#isClosed) return;
    const { intervalMilliseconds = INTERVAL_MILLISECONDS } = this.#options;
    this.#timer = setTimeout(
      () => {
        void this.#look().then(() => this.#wait());
      },
      intervalMilliseconds * (0.75 + Math.random() / 2),
    );
    this.#timer.unref();
  }

  async #look(): Promise<void> {
    const { declarer, model, logger } = this.#options;
    const connected = model();
    if (connected === null) return;
    try {
      await declarer.restoreMissing(connected);
    } catch (error) {
      if (!this.#isClosed) logger.warn({ error }, 'queues could not be looked for; will try again');
    }
  }
}
