import type { Logger } from '@millrace/service';
import { isDeepStrictEqual } from 'node:util';
import {
  BusUnavailableError,
  QueueMissingError,
  RefusedError,
  TopologyMismatchError,
  UnroutableError,
} from '../message-bus-errors';
import type {
  BusState,
  ConsumeOptions,
  Consumer,
  DeliveryHandler,
  MessageBus,
  OutgoingMessage,
  QueueDefinition,
  QueueState,
  QueueStatus,
  Topology,
} from '../message-bus';
import { MAXIMUM_BODY_BYTES } from '../maximum-body-bytes';
import { StateListeners } from '../state-listeners';
import { deadLetter, type DeathReason, type RoutedMessage } from './dead-letter';
import { InProcessConsumer } from './in-process-consumer';
import { InProcessQueue } from './in-process-queue';
import { MemoryBudget } from './memory-budget';
import { Routes } from './routes';

const MEBIBYTE = 1024 * 1024;

export interface InProcessBusOptions {
  readonly logger: Logger;
  /** Maximum bytes of all ready and unsettled messages together; more are refused. */
  readonly maximumBytes?: number;
}

/**
 * A broker inside this process; its messages are lost when the process ends. Several services share one instance.
 * Bodies are passed on without copying: a publisher must not write to a body afterwards.
 */
export class InProcessBus implements MessageBus {
  readonly #logger: Logger;
  readonly #memory: MemoryBudget;
  readonly #routes = new Routes();
  readonly #queues = new Map<string, InProcessQueue>();
  /** Consumers with their queues. */
  readonly #consumers = new Map<Consumer, QueueDefinition>();
  readonly #listeners: StateListeners;
  #state: BusState = 'connected';
  #closing: Promise<void> | undefined;

  constructor({ logger, maximumBytes = 512 * MEBIBYTE }: InProcessBusOptions) {
    this.#logger = logger;
    this.#memory = new MemoryBudget(maximumBytes);
    this.#listeners = new StateListeners(logger);
  }

  get state(): BusState {
    return this.#state;
  }

  async provision(topology: Topology): Promise<void> {
    this.#requireOpen();
    for (const exchange of topology.exchanges) this.#routes.declareExchange(exchange);
    for (const queue of topology.queues) this.#declareQueue(queue);
    for (const binding of topology.bindings) {
      if (!this.#queues.has(binding.queue)) {
        throw new TopologyMismatchError(`binding to queue "${binding.queue}", which is missing`);
      }
      this.#routes.bind(binding);
    }
  }

  async publish(message: OutgoingMessage): Promise<void> {
    this.#requireOpen();
    if (message.body.length > MAXIMUM_BODY_BYTES) {
      throw new RefusedError(`a body of ${message.body.length} bytes is larger than ${MAXIMUM_BODY_BYTES}`);
    }
    let { routed, refusedBy } = this.#route(message);
    const { alternativeRoutingKey: routingKey } = message;
    if (routed === 0 && message.mandatory && routingKey !== undefined) {
      ({ routed, refusedBy } = this.#route({ ...message, routingKey }));
    }
    if (refusedBy !== null) throw new RefusedError(`queue "${refusedBy}" is full`);
    if (routed === 0 && message.mandatory) {
      throw new UnroutableError(
        `no queue takes routing key "${message.routingKey}" of exchange "${message.exchange}"`,
      );
    }
  }

  async consume(queue: string, options: ConsumeOptions, handler: DeliveryHandler): Promise<Consumer> {
    this.#requireOpen();
    const target = this.#queues.get(queue);
    if (!target) throw new QueueMissingError(`there is no queue "${queue}"`);
    const consumer = new InProcessConsumer(target, options, handler, this.#logger);
    target.addConsumer(consumer);
    this.#consumers.set(consumer, target.definition);
    return {
      close: async (closeOptions) => {
        await consumer.close(closeOptions);
        this.#consumers.delete(consumer);
      },
    };
  }

  async queueStatus(queue: string): Promise<QueueStatus | null> {
    this.#requireOpen();
    return this.#queues.get(queue)?.status ?? null;
  }

  queueStates(): readonly QueueState[] {
    const shared = [...this.#consumers.values()].filter(({ exclusive }) => exclusive !== true);
    return shared.map(({ name }) => ({ queue: name, isConsuming: true, problem: null }));
  }

  onStateChange(listener: (state: BusState) => void): () => void {
    return this.#listeners.add(listener);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await Promise.all([...this.#consumers.keys()].map((consumer) => consumer.close()));
    this.#state = 'closed';
    for (const queue of this.#queues.values()) queue.close();
    this.#queues.clear();
    this.#listeners.notify('closed');
  }

  #requireOpen(): void {
    if (this.#state === 'closed') throw new BusUnavailableError('the bus is closed');
  }

  #declareQueue(definition: QueueDefinition): void {
    const existing = this.#queues.get(definition.name);
    if (existing && !isDeepStrictEqual(existing.definition, definition)) {
      throw new TopologyMismatchError(`queue "${definition.name}" exists with other properties`);
    }
    if (existing) return;
    const publishDeadLetter = this.#publishDeadLetter.bind(this);
    this.#queues.set(
      definition.name,
      new InProcessQueue(definition, { memory: this.#memory, publishDeadLetter }),
    );
  }

  #route(message: RoutedMessage): { readonly routed: number; readonly refusedBy: string | null } {
    if (message.exchange === '') return this.#offer(message, [message.routingKey]);
    return this.#offer(message, this.#routes.queuesFor(message.exchange, message.routingKey));
  }

  /** Offers the message to each of these queues that exists. */
  #offer(message: RoutedMessage, names: Iterable<string>) {
    let routed = 0;
    let refusedBy: string | null = null;
    for (const name of names) {
      const queue = this.#queues.get(name);
      if (!queue) continue;
      routed += 1;
      if (!queue.accept(message)) refusedBy = name;
    }
    return { routed, refusedBy };
  }

  #publishDeadLetter(message: RoutedMessage, queue: QueueDefinition, reason: DeathReason): void {
    const dead = deadLetter(message, queue, reason);
    if (dead === null || this.#state === 'closed') return;
    const fields = { queue: queue.name, reason, messageId: message.messageId, exchange: dead.exchange };
    try {
      const { routed, refusedBy } = this.#route(dead);
      if (routed === 0 || refusedBy !== null)
        this.#logger.error(fields, 'no queue took a dead letter; dropped');
    } catch (error) {
      this.#logger.error({ ...fields, error }, 'dead-letter exchange is missing; dead letter dropped');
    }
  }
}
