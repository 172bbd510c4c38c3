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
  QueueStatus,
  Topology,
} from '../message-bus';
import { StateListeners } from '../state-listeners';
import { Publisher } from './publisher';
import { onScratchChannel, replyCodeOf } from './scratch-channel';
import { Subscription } from './subscription';
import { SupervisedConnection } from './supervised-connection';
import { TopologyDeclarer } from './topology-declarer';

const NOT_FOUND = 404;

export interface RabbitMqBusOptions {
  /** amqp:// or amqps://, with credentials and virtual host. */
  readonly url: string;
  readonly tls?: TlsMaterial | undefined;
  readonly logger: Logger;
  /** What the broker's tools show; the connections are `<name> publish` and `<name> consume`. */
  readonly connectionName: string;
  /** How many messages may be on their way without a confirm; further ones wait. */
  readonly confirmWindow?: number;
  /** How long a message waits for its place, and then for its confirm. */
  readonly confirmTimeoutMilliseconds?: number;
  readonly connectTimeoutMilliseconds?: number;
  /** Tries before `connect` gives up; afterwards there is no limit. */
  readonly connectTries?: number;
  readonly heartbeatSeconds?: number;
}

/**
 * RabbitMQ, 3.10 and later. Publishing and consuming have a connection each: a broker that is short of memory stops
 * reading from connections that publish, and acknowledgements must not wait for that. Queues are declared on the
 * consuming one, since an exclusive queue belongs to its connection.
 */
export class RabbitMqBus implements MessageBus {
  readonly #logger: Logger;
  readonly #listeners: StateListeners;
  readonly #declarer: TopologyDeclarer;
  readonly #publisher: Publisher;
  readonly #subscriptions = new Set<Subscription>();
  readonly #publishing: SupervisedConnection;
  readonly #consuming: SupervisedConnection;
  #canPublish = false;
  #canConsume = false;
  #isUnreachable = false;
  #state: BusState = 'disconnected';
  #closing: Promise<void> | undefined;

  /** Resolves to a connected bus; rejects with BusUnavailableError when the broker can not be reached. */
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
    this.#listeners = new StateListeners(logger);
    this.#declarer = new TopologyDeclarer(logger);
    const stuck = () => this.#publishing.cut();
    this.#publisher = new Publisher({ confirmWindow, confirmTimeoutMilliseconds, logger, stuck });
    const dialling = { url, tls, connectTimeoutMilliseconds, heartbeatSeconds };
    this.#publishing = new SupervisedConnection(
      { ...dialling, connectionName: `${connectionName} publish` },
      {
        connected: (model) => this.#publishingConnected(model),
        disconnected: () => this.#publishingDisconnected(),
        unreachable: () => this.#unreachable(),
        blocked: (isBlocked) => this.#blocked(isBlocked),
      },
      logger,
    );
    this.#consuming = new SupervisedConnection(
      { ...dialling, connectionName: `${connectionName} consume` },
      {
        connected: (model) => this.#consumingConnected(model),
        disconnected: () => this.#consumingDisconnected(),
        unreachable: () => this.#unreachable(),
      },
      logger,
    );
  }

  get state(): BusState {
    return this.#state;
  }

  provision(topology: Topology): Promise<void> {
    return this.#declarer.declare(this.#consuming.model, topology);
  }

  publish(message: OutgoingMessage): Promise<void> {
    return this.#publisher.publish(message);
  }

  async consume(queue: string, options: ConsumeOptions, handler: DeliveryHandler): Promise<Consumer> {
    const model = this.#consuming.model;
    if (this.#closing || model === null) throw new BusUnavailableError('not connected to RabbitMQ');
    const logger = this.#logger;
    const ensureQueue = (name: string) => this.#declarer.ensureQueue(this.#consuming.model, name);
    const subscription = new Subscription({ ...options, queue, handler, logger, ensureQueue });
    try {
      await subscription.connected(model);
    } catch (error) {
      subscription.disconnected();
      if (replyCodeOf(error) !== NOT_FOUND) throw error;
      throw new QueueMissingError(`there is no queue "${queue}"`, { cause: error });
    }
    this.#subscriptions.add(subscription);
    return {
      close: async (closeOptions) => {
        await subscription.close(closeOptions);
        this.#subscriptions.delete(subscription);
      },
    };
  }

  async queueStatus(queue: string): Promise<QueueStatus | null> {
    try {
      const { messageCount, consumerCount } = await onScratchChannel(
        this.#consuming.model,
        `asking about queue "${queue}"`,
        (channel) => channel.checkQueue(queue),
      );
      return { messages: messageCount, consumers: consumerCount };
    } catch (error) {
      if (replyCodeOf(error) === NOT_FOUND) return null;
      throw error;
    }
  }

  onStateChange(listener: (state: BusState) => void): () => void {
    return this.#listeners.add(listener);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Handlers in hand may still publish; so consumers end first, then confirms arrive, then the connections close. */
  async #close(): Promise<void> {
    await Promise.all([...this.#subscriptions].map((subscription) => subscription.close()));
    await this.#publisher.close();
    await Promise.all([this.#publishing.close(), this.#consuming.close()]);
    this.#state = 'closed';
    this.#listeners.tell('closed');
  }

  async #publishingConnected(model: ChannelModel): Promise<void> {
    await this.#publisher.connected(model);
    this.#canPublish = true;
    this.#updateState();
  }

  #publishingDisconnected(): void {
    this.#publisher.disconnected();
    this.#canPublish = false;
    this.#updateState();
  }

  #blocked(isBlocked: boolean): void {
    this.#publisher.block(isBlocked);
    this.#updateState();
  }

  async #consumingConnected(model: ChannelModel): Promise<void> {
    await this.#declarer.restore(model);
    // One queue that is gone must not keep the others from being consumed; its subscription goes on trying.
    const restored = [...this.#subscriptions].map((subscription) => subscription.connected(model));
    for (const outcome of await Promise.allSettled(restored)) {
      if (outcome.status === 'rejected') {
        this.#logger.error({ error: outcome.reason }, 'could not consume again; will try again');
      }
    }
    this.#canConsume = true;
    this.#updateState();
  }

  #consumingDisconnected(): void {
    for (const subscription of this.#subscriptions) subscription.disconnected();
    this.#canConsume = false;
    this.#updateState();
  }

  #unreachable(): void {
    this.#isUnreachable = true;
    this.#updateState();
  }

  #updateState(): void {
    const isConnected = this.#canPublish && this.#canConsume;
    if (isConnected) this.#isUnreachable = false;
    const ready: BusState = this.#publisher.isBlocked ? 'blocked' : 'connected';
    const away: BusState = this.#isUnreachable ? 'unreachable' : 'disconnected';
    const state = isConnected ? ready : away;
    if (this.#state === state || this.#state === 'closed') return;
    this.#state = state;
    this.#listeners.tell(state);
  }
}
