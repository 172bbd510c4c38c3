import type { Logger, TlsMaterial } from '@millrace/service';
import type { ChannelModel } from 'amqplib';
import { BusUnavailableError, QueueMissingError } from '../message-bus-errors';
import type {
  BusState,
  ConsumeOptions,
  Consumer,
  DeliveryHandler,
  MessageBus,
  OutgoingMessage,
  QueueState,
  QueueStatus,
  Topology,
} from '../message-bus';
import { BrokerAddresses } from './broker-addresses';
import { BusConnectivity } from './bus-connectivity';
import type { DialOptions } from './dial';
import { DedicatedSubscription } from './dedicated-subscription';
import { Publishers } from './publishers';
import { mergeQueueStates } from './queue-states';
import { withTemporaryChannel, replyCodeOf } from './temporary-channel';
import { Subscription } from './subscription';
import { SupervisedConnection } from './supervised-connection';
import { TopologyDeclarer } from './topology-declarer';
import { TopologyMonitor } from './topology-monitor';

const NOT_FOUND = 404;

export interface RabbitMqBusOptions {
  /** amqp:// or amqps://, with credentials and virtual host; several nodes are comma-separated. */
  readonly url: string;
  readonly tls?: TlsMaterial | undefined;
  readonly logger: Logger;
  /** Shown by the broker's tools; the connections are `<name> publish`, `<name> consume` and `<name> <queue>`. */
  readonly connectionName: string;
  /** Maximum number of sent, unconfirmed messages; further ones wait. */
  readonly confirmWindow?: number;
  /** How long a message waits for room in the confirm window, and then for its confirm. */
  readonly confirmTimeoutMilliseconds?: number;
  readonly connectTimeoutMilliseconds?: number;
  /** Number of tries before `connect` rejects; reconnects have no limit. */
  readonly connectTries?: number;
  readonly heartbeatSeconds?: number;
  /** How long a recreatable queue must be unusable before it is deleted and declared again. */
  readonly recreateAfterMilliseconds?: number;
  /** Interval of the check for consumers that the broker no longer knows. */
  readonly consumerCheckMilliseconds?: number;
  /** Interval of the check for deleted queues. */
  readonly topologyCheckMilliseconds?: number;
}

/**
 * RabbitMQ, 3.10 and later. Publishing and consuming have separate connections: a broker that is short of memory stops
 * reading from connections that publish, and acknowledgements must not wait for that. Queues are declared on the
 * consuming connection, because an exclusive queue belongs to its connection. Each consumed quorum queue has a separate
 * connection, so that a queue without a leader does not stop others.
 */
export class RabbitMqBus implements MessageBus {
  readonly #logger: Logger;
  readonly #connectivity: BusConnectivity;
  readonly #declarer: TopologyDeclarer;
  readonly #publisher: Publishers;
  readonly #subscriptions = new Set<Subscription>();
  readonly #publishing: SupervisedConnection;
  readonly #consuming: SupervisedConnection;
  readonly #addresses: BrokerAddresses;
  readonly #dialling: Omit<DialOptions, 'connectionName'>;
  readonly #options: RabbitMqBusOptions;
  readonly #dedicated = new Map<Subscription, DedicatedSubscription>();
  readonly #topologyMonitor: TopologyMonitor;
  #closing: Promise<void> | undefined;

  /** Resolves to a connected bus; rejects with BusUnavailableError when the broker cannot be reached. */
  static async connect(options: RabbitMqBusOptions): Promise<RabbitMqBus> {
    const bus = new RabbitMqBus(options);
    const tries = options.connectTries ?? 5;
    const opened = await Promise.allSettled([bus.#publishing.open(tries), bus.#consuming.open(tries)]);
    const failed = opened.find((outcome) => outcome.status === 'rejected');
    if (!failed) return bus;
    await bus.close();
    throw failed.reason;
  }

  private constructor(options: RabbitMqBusOptions) {
    this.#options = options;
    const {
      url,
      tls,
      logger,
      connectionName,
      confirmWindow = 256,
      confirmTimeoutMilliseconds = 5_000,
    } = options;
    const { connectTimeoutMilliseconds = 3_000, heartbeatSeconds = 5 } = options;
    this.#logger = logger;
    this.#connectivity = new BusConnectivity(logger, () => this.#publisher.isBlocked);
    this.#declarer = new TopologyDeclarer(logger);
    this.#publisher = new Publishers({
      declarer: this.#declarer,
      confirmWindow,
      confirmTimeoutMilliseconds,
      logger,
      onStuck: () => this.#publishing.cut(),
      restoreQueue: (message) => this.#declarer.restoreQueueFor(this.#consuming.model, message),
    });
    this.#addresses = new BrokerAddresses(url);
    this.#dialling = { tls, connectTimeoutMilliseconds, heartbeatSeconds };
    const dialling = { ...this.#dialling, addresses: this.#addresses };
    this.#publishing = new SupervisedConnection(
      { ...dialling, connectionName: `${connectionName} publish` },
      {
        connected: (model) => this.#publishingConnected(model),
        disconnected: () => this.#publishingDisconnected(),
        unreachable: () => this.#connectivity.update({ isUnreachable: true }),
        blocked: (isBlocked) => this.#blocked(isBlocked),
      },
      logger,
    );
    this.#consuming = new SupervisedConnection(
      { ...dialling, connectionName: `${connectionName} consume` },
      {
        connected: (model) => this.#consumingConnected(model),
        disconnected: () => this.#consumingDisconnected(),
        unreachable: () => this.#connectivity.update({ isUnreachable: true }),
      },
      logger,
    );
    this.#topologyMonitor = new TopologyMonitor({
      declarer: this.#declarer,
      model: () => this.#consuming.model,
      intervalMilliseconds: options.topologyCheckMilliseconds,
      logger,
    });
  }

  get state(): BusState {
    return this.#connectivity.state;
  }

  async provision(topology: Topology): Promise<void> {
    try {
      await this.#declarer.declare(this.#consuming.model, topology);
    } finally {
      this.#publisher.prepare(topology.queues);
    }
  }

  publish(message: OutgoingMessage): Promise<void> {
    return this.#publisher.publish(message);
  }

  async consume(queue: string, options: ConsumeOptions, handler: DeliveryHandler): Promise<Consumer> {
    const model = this.#consuming.model;
    if (this.#closing || model === null) throw new BusUnavailableError('not connected to RabbitMQ');
    const logger = this.#logger;
    const definition = this.#declarer.definitionOf(queue);
    const modelOf = (): ChannelModel | null => (this.#dedicated.get(subscription) ?? this.#consuming).model;
    const ensureQueue = (name: string): Promise<void> => this.#declarer.ensureQueue(modelOf(), name);
    const subscription: Subscription = new Subscription({ ...options, queue, handler, logger, ensureQueue });
    const consumer = definition?.kind === 'quorum' ? this.#openDedicated(subscription) : subscription;
    const failure =
      consumer instanceof DedicatedSubscription
        ? await consumer.open()
        : await failureOf(subscription.connected(model));
    const isMissing = replyCodeOf(failure) === NOT_FOUND;
    if (failure !== null && definition === undefined) {
      await consumer.close({ deadlineMilliseconds: 0 });
      throw isMissing ? new QueueMissingError(`there is no queue "${queue}"`, { cause: failure }) : failure;
    }
    if (failure !== null)
      logger.warn({ error: failure, queue }, 'could not consume from a queue; will retry');
    this.#subscriptions.add(subscription);
    return {
      close: async (closeOptions) => {
        await consumer.close(closeOptions);
        this.#subscriptions.delete(subscription);
        this.#dedicated.delete(subscription);
      },
    };
  }

  #openDedicated(subscription: Subscription): DedicatedSubscription {
    const { connectionName, recreateAfterMilliseconds, consumerCheckMilliseconds, logger } = this.#options;
    const dedicated = new DedicatedSubscription({
      subscription,
      declarer: this.#declarer,
      addresses: this.#addresses,
      dialling: { ...this.#dialling, connectionName: `${connectionName} ${subscription.queue}` },
      recreateAfterMilliseconds,
      consumerCheckMilliseconds,
      logger,
    });
    this.#dedicated.set(subscription, dedicated);
    return dedicated;
  }

  queueStates(): readonly QueueState[] {
    return mergeQueueStates(this.#declarer, this.#subscriptions, this.#publisher.problems());
  }

  async queueStatus(queue: string): Promise<QueueStatus | null> {
    try {
      const { messageCount, consumerCount } = await withTemporaryChannel(
        this.#consuming.model,
        `checking queue "${queue}"`,
        (channel) => channel.checkQueue(queue),
      );
      return { messages: messageCount, consumers: consumerCount };
    } catch (error) {
      if (replyCodeOf(error) === NOT_FOUND) return null;
      throw error;
    }
  }

  onStateChange(listener: (state: BusState) => void): () => void {
    return this.#connectivity.onChange(listener);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Running handlers can still publish: so consumers end first, then confirms arrive, then the connections close. */
  async #close(): Promise<void> {
    this.#topologyMonitor.close();
    await Promise.all([...this.#subscriptions].map((one) => (this.#dedicated.get(one) ?? one).close()));
    await this.#publisher.close();
    await Promise.all([this.#publishing.close(), this.#consuming.close()]);
    this.#connectivity.close();
  }

  async #publishingConnected(model: ChannelModel): Promise<void> {
    await this.#publisher.connected(model);
    if (this.#publishing.model !== model) return;
    this.#connectivity.update({ canPublish: true });
  }

  #publishingDisconnected(): void {
    this.#publisher.disconnected();
    this.#connectivity.update({ canPublish: false });
  }

  #blocked(isBlocked: boolean): void {
    this.#publisher.block(isBlocked);
    this.#connectivity.update();
  }

  async #consumingConnected(model: ChannelModel): Promise<void> {
    await this.#declarer.restore(model);
    // A deleted queue must not prevent the others from being consumed; its subscription keeps trying.
    const here = [...this.#subscriptions].filter((subscription) => !this.#dedicated.has(subscription));
    const restored = here.map((subscription) => subscription.connected(model));
    for (const outcome of await Promise.allSettled(restored)) {
      if (outcome.status === 'rejected') {
        this.#logger.error({ error: outcome.reason }, 'could not consume after a reconnect; will retry');
      }
    }
    // The connection can be lost again before its consumers are restored.
    if (this.#consuming.model !== model) return;
    this.#connectivity.update({ canConsume: true });
  }

  #consumingDisconnected(): void {
    for (const subscription of this.#subscriptions)
      if (!this.#dedicated.has(subscription)) subscription.disconnected();
    this.#connectivity.update({ canConsume: false });
  }
}

/** Resolves to the error of `work`, or null. */
function failureOf(work: Promise<void>): Promise<unknown> {
  return work.then(
    () => null,
    (error: unknown) => error,
  );
}
