import type { Logger } from '@millrace/service';
import type { ChannelModel } from 'amqplib';
import type { Subscription } from './subscription';
import { withTemporaryChannel } from './temporary-channel';

const INTERVAL_MILLISECONDS = 5_000;
/** More than the election of a leader takes, during which a queue reports no consumers. */
const SUSPICIOUS_CHECKS = 3;

export interface ConsumerWatchOptions {
  readonly subscription: Subscription;
  /** The connection of the consumer; null while there is none. */
  readonly model: () => ChannelModel | null;
  readonly onForgotten: () => void;
  readonly intervalMilliseconds?: number | undefined;
  readonly logger: Logger;
}

/**
 * Finds a consumer that the broker no longer knows. RabbitMQ 3.10 does not always cancel the consumers of a quorum queue that
 * is deleted after a crash of the broker: they wait for deliveries for as long as their connection is open. A check is
 * suspicious if the queue has no consumer, or if its messages wait although this consumer has room and has received
 * nothing since the check before. Several in a row are proof.
 */
export class ConsumerWatch {
  readonly #options: ConsumerWatchOptions;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  #received = 0;
  #suspicious = 0;

  constructor(options: ConsumerWatchOptions) {
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
      () => void this.#check().then(() => this.#schedule()),
      intervalMilliseconds * (0.75 + Math.random() / 2),
    );
    this.#timer.unref();
  }

  async #check(): Promise<void> {
    const { subscription, onForgotten, logger } = this.#options;
    const status = await this.#queueStatus();
    const hasReceived = subscription.received > this.#received;
    this.#received = subscription.received;
    if (status === null || hasReceived || !subscription.hasRoom) {
      this.#suspicious = 0;
      return;
    }
    const { messageCount, consumerCount } = status;
    this.#suspicious = consumerCount === 0 || messageCount > 0 ? this.#suspicious + 1 : 0;
    if (this.#suspicious < SUSPICIOUS_CHECKS || this.#isClosed) return;
    this.#suspicious = 0;
    logger.warn(
      { queue: subscription.queue, messages: messageCount, consumers: consumerCount },
      'RabbitMQ delivers nothing to a consumer; connecting again',
    );
    onForgotten();
  }

  /** Null when the queue or its connection is unavailable, which is noticed elsewhere. */
  async #queueStatus(): Promise<{ readonly messageCount: number; readonly consumerCount: number } | null> {
    const { subscription, model } = this.#options;
    const { queue } = subscription;
    try {
      return await withTemporaryChannel(model(), `checking queue "${queue}"`, (channel) =>
        channel.checkQueue(queue),
      );
    } catch {
      return null;
    }
  }
}
