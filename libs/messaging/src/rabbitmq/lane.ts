import type { Logger } from '@millrace/service';
import type { ChannelModel } from 'amqplib';
import type { Consumer } from '../message-bus';
import type { BrokerAddresses } from './broker-addresses';
import { dial, type DialOptions } from './dial';
import { renewQueue } from './renew-queue';
import { replyCodeOf } from './scratch-channel';
import type { Subscription } from './subscription';
import { SupervisedConnection } from './supervised-connection';
import type { TopologyDeclarer } from './topology-declarer';

/** Longer than an election of a quorum queue's leader, or a node that starts again, takes. */
const RENEW_AFTER_MILLISECONDS = 20_000;

export interface LaneOptions {
  readonly subscription: Subscription;
  readonly declarer: TopologyDeclarer;
  readonly addresses: BrokerAddresses;
  readonly dialling: DialOptions;
  readonly renewAfterMilliseconds?: number | undefined;
  readonly logger: Logger;
}

/**
 * A subscription with a connection of its own. RabbitMQ 3.10 closes the whole connection (541 INTERNAL_ERROR) of those
 * who consume from a quorum queue without a leader, so a queue in that state must share its connection with no other.
 * A queue that stays so is renewed where its definition allows it.
 */
export class Lane implements Consumer {
  readonly #options: LaneOptions;
  readonly #connection: SupervisedConnection;
  readonly #renewAfterMilliseconds: number;
  #failingSince: number | null = null;
  #isReported = false;

  constructor(options: LaneOptions) {
    this.#options = options;
    const { addresses, dialling, logger, renewAfterMilliseconds = RENEW_AFTER_MILLISECONDS } = options;
    // Executors that see the same queue fail do not all renew it at once.
    this.#renewAfterMilliseconds = renewAfterMilliseconds * (1 + Math.random() / 2);
    this.#connection = new SupervisedConnection(
      { ...dialling, addresses },
      {
        connected: (model) => this.#connected(model),
        disconnected: () => options.subscription.disconnected(),
        unreachable: () => undefined,
      },
      logger,
    );
  }

  /** Null while there is no connection. */
  get model(): ChannelModel | null {
    return this.#connection.model;
  }

  /** Begins to consume, or goes on trying; resolves to what failed the first time. */
  open(): Promise<unknown> {
    return this.#connection.openPatiently();
  }

  async close(options?: { readonly deadlineMilliseconds?: number }): Promise<void> {
    await this.#options.subscription.close(options);
    await this.#connection.close();
  }

  async #connected(model: ChannelModel): Promise<void> {
    const { subscription } = this.#options;
    try {
      await subscription.connected(model);
    } catch (error) {
      // The next try is one of a new connection: this one may be closed by now.
      subscription.disconnected();
      await this.#failed(error);
      throw error;
    }
    if (this.#isReported)
      this.#options.logger.info({ queue: subscription.queue }, 'consuming from a queue again');
    this.#failingSince = null;
    this.#isReported = false;
  }

  async #failed(error: unknown): Promise<void> {
    const { subscription, declarer, logger } = this.#options;
    const { queue } = subscription;
    const now = performance.now();
    this.#failingSince ??= now;
    const isRenewable = declarer.definitionOf(queue)?.isRenewable === true;
    if (!this.#isReported) {
      this.#isReported = true;
      const seconds = Math.round(this.#renewAfterMilliseconds / 1_000);
      logger.error(
        { error, queue, replyCode: replyCodeOf(error) },
        isRenewable
          ? `a queue cannot be consumed from; other queues are not affected; it is deleted and declared again if this lasts for ${seconds} s`
          : 'a queue cannot be consumed from; other queues are not affected; see rabbitmq-queues quorum_status, and rabbitmqctl delete_queue if it has no leader',
      );
    }
    if (isRenewable && now - this.#failingSince >= this.#renewAfterMilliseconds) await this.#renew(queue);
  }

  /** On a connection of its own: the one that consumed is closed by its failure. */
  async #renew(queue: string): Promise<void> {
    const { declarer, addresses, dialling, logger } = this.#options;
    try {
      const connection = await dial(addresses.next, dialling);
      connection.model.on('error', () => undefined);
      try {
        if (await renewQueue(connection.model, queue, declarer))
          logger.error(
            { queue },
            'an unusable queue was deleted and declared again; its messages are sent again',
          );
        this.#failingSince = null;
      } finally {
        connection.model.close().catch(() => undefined);
        setTimeout(() => connection.destroy(), 1_000).unref();
      }
    } catch (error) {
      logger.warn(
        { error, queue },
        'an unusable queue could not be deleted and declared again; will try again',
      );
    }
  }
}
