import type { Logger } from '@millrace/service';
import type { ChannelModel } from 'amqplib';
import type { TopologyDeclarer } from './topology-declarer';

const INTERVAL_MILLISECONDS = 10_000;

export interface TopologyMonitorOptions {
  readonly declarer: TopologyDeclarer;
  /** Null while there is no connection. */
  readonly model: () => ChannelModel | null;
  readonly intervalMilliseconds?: number | undefined;
  readonly logger: Logger;
}

/**
 * Declares deleted queues again. Consumers and publishers detect those themselves; this covers queues that only the
 * broker publishes to, such as dead-letter queues.
 */
export class TopologyMonitor {
  readonly #options: TopologyMonitorOptions;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: TopologyMonitorOptions) {
    this.#options = options;
    this.#schedule();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #schedule(): void {
    if (this.#isClosed) return;
    const { intervalMilliseconds = INTERVAL_MILLISECONDS } = this.#options;
    this.#timer = setTimeout(
      () => {
        void this.#check().then(() => this.#schedule());
      },
      intervalMilliseconds * (0.75 + Math.random() / 2),
    );
    this.#timer.unref();
  }

  async #check(): Promise<void> {
    const { declarer, model, logger } = this.#options;
    const connected = model();
    if (connected === null) return;
    try {
      await declarer.restoreMissing(connected);
    } catch (error) {
      if (!this.#isClosed) logger.warn({ error }, 'could not check for missing queues; will retry');
    }
  }
}
