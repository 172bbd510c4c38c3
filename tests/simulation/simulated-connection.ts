import { JOB_BATCH, REDELIVERED_HEADER, REPLY_BATCH } from '@millrace/messages';
import { BusUnavailableError, UnconfirmedError, UnroutableError } from '@millrace/messaging';
import type {
  BusState,
  ConsumeOptions,
  Consumer,
  DeliveryHandler,
  InProcessBus,
  MessageBus,
  OutgoingMessage,
  QueueState,
  QueueStatus,
  Topology,
} from '@millrace/messaging';
import type { Random } from './random';
import { outsideProcesses } from './simulated-process';
import type { SimulatedProcess } from './simulated-process';

const MAXIMUM_DELAY_MILLISECONDS = 8;
/** Some confirmations arrive after the message has been consumed, and its run has had an attempt. */
const SHARE_OF_LATE_CONFIRMATIONS = 0.1;
const MAXIMUM_LATENESS_MILLISECONDS = 2_000;

type Outcome = 'delivered' | 'lost' | 'delivered, but not confirmed';
/** A message with several jobs or replies, or a job that left one, and its outcome. */
export type BatchOutcome = `${string} was ${Outcome}`;

interface Subscription {
  readonly queue: string;
  readonly options: ConsumeOptions;
  readonly handler: DeliveryHandler;
  consumer: Consumer | null;
  isClosed: boolean;
}

/** State that all connections share: the broker, and the current names of exclusive queues. */
export interface BrokerServer {
  readonly bus: InProcessBus;
  /**
   * Exclusive queues are deleted with their connection and declared again empty, so each connection has its own queue.
   */
  readonly exclusive: Map<string, string>;
  isBlocked: boolean;
  /** Some confirms and some published messages are lost. */
  isFlaky: boolean;
  /** How often by what became of messages with several jobs or replies. */
  readonly batches: Map<BatchOutcome, number>;
}

/**
 * The connection of one process to the broker. When it is cut, its exclusive queues are deleted, unsettled deliveries
 * return to their queue, and verdicts of handlers that still run are ignored.
 */
export class SimulatedConnection implements MessageBus {
  readonly #server: BrokerServer;
  readonly #process: SimulatedProcess;
  readonly #random: Random;
  readonly #topologies: Topology[] = [];
  readonly #subscriptions: Subscription[] = [];
  readonly #listeners = new Set<(state: BusState) => void>();
  #isConnected = true;
  #reconnects = 0;
  #lastArrival = 0;
  #arrivalBefore: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(server: BrokerServer, process: SimulatedProcess, random: Random) {
    this.#server = server;
    this.#process = process;
    this.#random = random;
  }

  get state(): BusState {
    if (this.#isClosed) return 'closed';
    if (!this.#isConnected) return 'disconnected';
    return this.#server.isBlocked ? 'blocked' : 'connected';
  }

  async provision(topology: Topology): Promise<void> {
    await this.#process.whenRunning();
    this.#topologies.push(topology);
    if (this.#isConnected) await this.#declare(topology);
  }

  async publish(message: OutgoingMessage): Promise<void> {
    await this.#process.whenRunning();
    if (this.state !== 'connected') throw new BusUnavailableError('simulated: the broker cannot be reached');
    const life = this.#reconnects;
    await this.#delay();
    if (!this.#isConnected || this.#reconnects !== life || this.#isLost()) {
      this.#countBatch(message, 'lost');
      throw unconfirmed();
    }
    await outsideProcesses(() => this.#server.bus.publish(this.#addressed(message)));
    await this.#delay(
      this.#random.chance(SHARE_OF_LATE_CONFIRMATIONS) ? MAXIMUM_LATENESS_MILLISECONDS : undefined,
    );
    await this.#process.whenRunning();
    if (!this.#isConnected || this.#reconnects !== life || this.#isLost()) {
      this.#countBatch(message, 'delivered, but not confirmed');
      throw unconfirmed();
    }
    this.#countBatch(message, 'delivered');
  }

  async consume(queue: string, options: ConsumeOptions, handler: DeliveryHandler): Promise<Consumer> {
    await this.#process.whenRunning();
    const subscription: Subscription = { queue, options, handler, consumer: null, isClosed: false };
    this.#subscriptions.push(subscription);
    if (this.#isConnected) await this.#subscribe(subscription);
    return {
      close: async (closeOptions) => {
        subscription.isClosed = true;
        await outsideProcesses(() => subscription.consumer?.close(closeOptions));
        await this.#process.whenRunning();
      },
    };
  }

  async queueStatus(queue: string): Promise<QueueStatus | null> {
    await this.#process.whenRunning();
    if (!this.#isConnected) throw new BusUnavailableError('simulated: the broker cannot be reached');
    return this.#server.bus.queueStatus(this.#server.exclusive.get(queue) ?? queue);
  }

  queueStates(): readonly QueueState[] {
    return [];
  }

  onStateChange(listener: (state: BusState) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): Promise<void> {
    this.cut();
    this.#isClosed = true;
    return Promise.resolve();
  }

  /** Breaks the connection; the broker requeues unsettled deliveries. */
  cut(): void {
    if (!this.#isConnected) return;
    this.#isConnected = false;
    for (const { name } of this.#exclusiveQueues()) this.#server.exclusive.delete(name);
    outsideProcesses(() => {
      for (const { consumer } of this.#subscriptions) void consumer?.close({ deadlineMilliseconds: 0 });
    });
    this.#notifyListeners();
  }

  /** Closes the channels of consumers that settle deliveries: these are requeued, and the connection stays open. */
  async closeChannels(): Promise<void> {
    if (!this.#isConnected) return;
    const closed = this.#subscriptions.filter(({ options }) => options.noAck !== true);
    outsideProcesses(() => {
      for (const { consumer } of closed) void consumer?.close({ deadlineMilliseconds: 0 });
    });
    const life = this.#reconnects;
    await this.#delay();
    if (this.#isConnected && this.#reconnects === life)
      for (const subscription of closed) await this.#subscribe(subscription);
  }

  /** Reconnects like the real client: declares the topology and starts the consumers again. */
  async reconnect(): Promise<void> {
    if (this.#isConnected || this.#isClosed) return;
    this.#isConnected = true;
    this.#reconnects += 1;
    for (const topology of this.#topologies) await this.#declare(topology);
    for (const subscription of this.#subscriptions) await this.#subscribe(subscription);
    this.#notifyListeners();
  }

  #exclusiveQueues() {
    return this.#topologies.flatMap(({ queues }) => queues.filter(({ exclusive }) => exclusive === true));
  }

  async #declare({ exchanges, queues, bindings }: Topology): Promise<void> {
    const life = (name: string) => `${name} of ${this.#process.name}, life ${this.#reconnects}`;
    for (const { name, exclusive } of queues)
      if (exclusive === true) this.#server.exclusive.set(name, life(name));
    const actual = (name: string) => this.#server.exclusive.get(name) ?? name;
    await outsideProcesses(() =>
      this.#server.bus.provision({
        exchanges,
        queues: queues.map((queue) => ({ ...queue, name: actual(queue.name) })),
        bindings: bindings.map((binding) => ({ ...binding, queue: actual(binding.queue) })),
      }),
    );
  }

  async #subscribe(subscription: Subscription): Promise<void> {
    const { queue, options, handler, isClosed } = subscription;
    if (isClosed) return;
    const name = this.#server.exclusive.get(queue) ?? queue;
    const handle: DeliveryHandler = async (delivery) => {
      await this.#delayDelivery();
      await this.#process.whenRunning();
      const verdict = await this.#process.start(() => handler(delivery));
      await outsideProcesses(() => this.#delay());
      await this.#process.whenRunning();
      return verdict;
    };
    subscription.consumer = await outsideProcesses(() => this.#server.bus.consume(name, options, handle));
  }

  /** Replaces the name of an exclusive queue in the routing key with its current one. */
  #addressed(message: OutgoingMessage): OutgoingMessage {
    if (message.exchange !== '') return message;
    const routingKey = this.#server.exclusive.get(message.routingKey);
    if (routingKey !== undefined) return { ...message, routingKey };
    if (/control|gateway/.test(message.routingKey)) {
      if (message.mandatory)
        throw new UnroutableError(`simulated: queue ${message.routingKey} does not exist`);
    }
    return message;
  }

  #countBatch(message: OutgoingMessage, outcome: Outcome): void {
    const kind = kindOfBatch(message);
    if (kind === null) return;
    const { batches } = this.#server;
    const key: BatchOutcome = `${kind} was ${outcome}`;
    batches.set(key, (batches.get(key) ?? 0) + 1);
  }

  #notifyListeners(): void {
    for (const listener of this.#listeners) this.#process.run(() => listener(this.state));
  }

  #isLost(): boolean {
    return this.#server.isFlaky && this.#random.chance(0.2);
  }

  /** Delays a delivery; deliveries of one connection stay in order. */
  async #delayDelivery(): Promise<void> {
    const now = outsideProcesses(() => Date.now());
    this.#lastArrival = Math.max(
      this.#lastArrival,
      now + this.#random.between(0, MAXIMUM_DELAY_MILLISECONDS),
    );
    const milliseconds = this.#lastArrival - now;
    const wait =
      milliseconds === 0 ? undefined : new Promise<void>((resolve) => setTimeout(resolve, milliseconds));
    // A delivery without a wait must not pass one whose timer is due now.
    const arrival = Promise.all([this.#arrivalBefore, wait]);
    this.#arrivalBefore = arrival;
    await arrival;
  }

  async #delay(maximumMilliseconds = MAXIMUM_DELAY_MILLISECONDS): Promise<void> {
    const milliseconds = this.#random.between(0, maximumMilliseconds);
    if (milliseconds > 0) await new Promise<void>((resolve) => setTimeout(resolve, milliseconds));
  }
}

/** What a message is in the report; null when it has nothing to do with batches. */
function kindOfBatch({ type, headers }: OutgoingMessage): string | null {
  if (type === REPLY_BATCH) return 'a batch of replies';
  if (headers?.[REDELIVERED_HEADER] === true) return 'a job that left its batch';
  return type === JOB_BATCH ? 'a batch of jobs' : null;
}

function unconfirmed(): UnconfirmedError {
  return new UnconfirmedError('simulated: the confirm was lost');
}
