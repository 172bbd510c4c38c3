import type { Logger } from '@millrace/service';
import type { ChannelModel } from 'amqplib';
import type { Consumer } from '../message-bus';
import type { BrokerAddresses } from './broker-addresses';
import { ConsumerWatch } from './consumer-watch';
import { dial, type DialOptions } from './dial';
import { recreateQueue } from './recreate-queue';
import { replyCodeOf } from './temporary-channel';
import type { Subscription } from './subscription';
import { SupervisedConnection } from './supervised-connection';
import type { TopologyDeclarer } from './topology-declarer';

/** Longer than the leader election of a quorum queue or the restart of a node takes. */
const RECREATE_AFTER_MILLISECONDS = 20_000;

export interface DedicatedSubscriptionOptions {
  readonly subscription: Subscription;
  readonly declarer: TopologyDeclarer;
  readonly addresses: BrokerAddresses;
  readonly dialling: DialOptions;
  readonly recreateAfterMilliseconds?: number | undefined;
  readonly consumerCheckMilliseconds?: number | undefined;
  readonly logger: Logger;
}

/**
 * A subscription with a separate connection. RabbitMQ 3.10 closes the whole connection (541 INTERNAL_ERROR) of a
 * consumer of a quorum queue without a leader, so such a queue must not share its connection with others. A queue that
 * stays without a leader is deleted and declared again if its definition allows that.
 */
export class DedicatedSubscription implements Consumer {
  readonly #options: DedicatedSubscriptionOptions;
  readonly #connection: SupervisedConnection;
  readonly #watch: ConsumerWatch;
  readonly #recreateAfterMilliseconds: number;
  #failingSince: number | null = null;
  #isReported = false;

  constructor(options: DedicatedSubscriptionOptions) {
    this.#options = options;
    const { addresses, dialling, logger, recreateAfterMilliseconds = RECREATE_AFTER_MILLISECONDS } = options;
    // Random, so that executors that see the same queue fail do not all recreate it at once.
    this.#recreateAfterMilliseconds = recreateAfterMilliseconds * (1 + Math.random() / 2);
    this.#connection = new SupervisedConnection(
      { ...dialling, addresses },
      {
        connected: (model) => this.#connected(model),
        disconnected: () => options.subscription.disconnected(),
        unreachable: () => undefined,
      },
      logger,
    );
    this.#watch = new ConsumerWatch({
      subscription: options.subscription,
      model: () => this.#connection.model,
      onForgotten: () => this.#connection.cut(),
      intervalMilliseconds: options.consumerCheckMilliseconds,
      logger,
    });
  }

  /** Null while there is no connection. */
  get model(): ChannelModel | null {
    return this.#connection.model;
  }

  /** Starts to consume, and keeps trying after a failure; resolves to the first failure, or null. */
  open(): Promise<unknown> {
    return this.#connection.openWithRetry();
  }

  async close(options?: { readonly deadlineMilliseconds?: number }): Promise<void> {
    this.#watch.close();
    await this.#options.subscription.close(options);
    await this.#connection.close();
  }

  async #connected(model: ChannelModel): Promise<void> {
    const { subscription } = this.#options;
    try {
      await subscription.connected(model);
    } catch (error) {
      // The next try uses a new connection, because this one may be closed.
      subscription.disconnected();
      await this.#failed(error);
      throw error;
    }
    if (this.#isReported)
      this.#options.logger.info({ queue: subscription.queue }, 'consuming from the queue again');
    this.#failingSince = null;
    this.#isReported = false;
  }

  async #failed(error: unknown): Promise<void> {
    const { subscription, declarer, logger } = this.#options;
    const { queue } = subscription;
    const now = performance.now();
    this.#failingSince ??= now;
    const isRecreatable = declarer.definitionOf(queue)?.isRecreatable === true;
    if (!this.#isReported) {
      this.#isReported = true;
      const seconds = Math.round(this.#recreateAfterMilliseconds / 1_000);
      logger.error(
        { error, queue, replyCode: replyCodeOf(error) },
        isRecreatable
          ? `cannot consume from the queue; other queues are not affected; it will be deleted and declared again if this lasts for ${seconds} s`
          : 'cannot consume from the queue; other queues are not affected; see rabbitmq-queues quorum_status, and rabbitmqctl delete_queue if it has no leader',
      );
    }
    if (isRecreatable && now - this.#failingSince >= this.#recreateAfterMilliseconds)
      await this.#recreate(queue);
  }

  /** Uses a separate connection: the failure has closed the one that consumed. */
  async #recreate(queue: string): Promise<void> {
    const { declarer, addresses, dialling, logger } = this.#options;
    try {
      const connection = await dial(addresses.next, dialling);
      try {
        if (await recreateQueue(connection.model, queue, declarer))
          logger.error(
            { queue },
            'unusable queue deleted and declared again; its messages will be republished',
          );
        this.#failingSince = null;
      } finally {
        connection.model.close().catch(() => undefined);
        setTimeout(() => connection.destroy(), 1_000).unref();
      }
    } catch (error) {
      logger.warn({ error, queue }, 'could not delete and redeclare an unusable queue; will retry');
    }
  }
}
