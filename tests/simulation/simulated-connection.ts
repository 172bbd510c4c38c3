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
/** Share of the publisher confirms that arrive late: possibly after the message was consumed and its run attempted. */
const SHARE_OF_LATE_CONFIRMS = 0.1;
const MAXIMUM_DELAY_OF_LATE_CONFIRMS_MILLISECONDS = 2_000;
/** Share of the messages, and of the confirms, that a flaky broker loses. */
const SHARE_OF_LOSSES = 0.2;

type PublishOutcome = 'delivered' | 'lost' | 'delivered, but not confirmed';
/** What the report of the simulation counts, such as `a batch of jobs was lost`. */
export type BatchOutcome = `${string} was ${PublishOutcome}`;

/** A subscription of this connection; `consumer` is that of the broker, null until the first one is started. */
interface Subscription {
  readonly queue: string;
  readonly options: ConsumeOptions;
  readonly handler: DeliveryHandler;
  consumer: Consumer | null;
  isClosed: boolean;
}

/** The simulated broker, which all connections share. */
export interface BrokerServer {
  readonly bus: InProcessBus;
  /**
   * Name in `bus` of each declared exclusive queue, by the name that processes use. The broker deletes an exclusive
   * queue with its connection. A process declares it again after a reconnect, empty: as a queue of another name in `bus`.
   */
  readonly exclusiveQueues: Map<string, string>;
  /** Whether the broker accepts no messages. */
  isBlocked: boolean;
  /** Whether the broker loses some of the published messages and some of the confirms. */
  isFlaky: boolean;
  /** Number of batches, and of jobs published again outside their batch, by outcome. */
  readonly batchOutcomes: Map<BatchOutcome, number>;
}

/**
 * Simulates the connection of one process to the broker. `cut` breaks it: the broker then deletes its exclusive queues,
 * returns its unsettled deliveries to their queues, and ignores the verdicts of handlers that still run.
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
  /** Simulated time at which the newest delivery arrives. */
  #lastArrivalTime = 0;
  /** Resolves when the newest delivery has arrived. */
  #lastArrival: Promise<unknown> = Promise.resolve();
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
    const reconnects = this.#reconnects;
    await this.#delay();
    if (!this.#isConnected || this.#reconnects !== reconnects || this.#losesMessage()) {
      this.#countBatch(message, 'lost');
      throw unconfirmed();
    }
    await outsideProcesses(() => this.#server.bus.publish(this.#withQueueNameOfBroker(message)));
    await this.#delay(
      this.#random.chance(SHARE_OF_LATE_CONFIRMS) ? MAXIMUM_DELAY_OF_LATE_CONFIRMS_MILLISECONDS : undefined,
    );
    await this.#process.whenRunning();
    if (!this.#isConnected || this.#reconnects !== reconnects || this.#losesMessage()) {
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
    return this.#server.bus.queueStatus(this.#server.exclusiveQueues.get(queue) ?? queue);
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

  /** Breaks the connection, until `reconnect`. */
  cut(): void {
    if (!this.#isConnected) return;
    this.#isConnected = false;
    for (const { name } of this.#ownExclusiveQueues()) this.#server.exclusiveQueues.delete(name);
    outsideProcesses(() => {
      for (const { consumer } of this.#subscriptions) void consumer?.close({ deadlineMilliseconds: 0 });
    });
    this.#notifyListeners();
  }

  /**
   * Closes the channels of the consumers that acknowledge, so that the broker requeues their unsettled deliveries, and
   * opens them again. The connection stays open.
   */
  async closeChannels(): Promise<void> {
    if (!this.#isConnected) return;
    const closed = this.#subscriptions.filter(({ options }) => options.noAck !== true);
    outsideProcesses(() => {
      for (const { consumer } of closed) void consumer?.close({ deadlineMilliseconds: 0 });
    });
    const reconnects = this.#reconnects;
    await this.#delay();
    if (this.#isConnected && this.#reconnects === reconnects)
      for (const subscription of closed) await this.#subscribe(subscription);
  }

  /** Reconnects as the client of RabbitMQ does: declares the topology and starts the consumers again. */
  async reconnect(): Promise<void> {
    if (this.#isConnected || this.#isClosed) return;
    this.#isConnected = true;
    this.#reconnects += 1;
    for (const topology of this.#topologies) await this.#declare(topology);
    for (const subscription of this.#subscriptions) await this.#subscribe(subscription);
    this.#notifyListeners();
  }

  #ownExclusiveQueues() {
    return this.#topologies.flatMap(({ queues }) => queues.filter(({ exclusive }) => exclusive === true));
  }

  async #declare({ exchanges, queues, bindings }: Topology): Promise<void> {
    for (const { name, exclusive } of queues)
      if (exclusive === true)
        this.#server.exclusiveQueues.set(
          name,
          `${name} of ${this.#process.name}, connection ${this.#reconnects}`,
        );
    const nameInBroker = (name: string) => this.#server.exclusiveQueues.get(name) ?? name;
    await outsideProcesses(() =>
      this.#server.bus.provision({
        exchanges,
        queues: queues.map((queue) => ({ ...queue, name: nameInBroker(queue.name) })),
        bindings: bindings.map((binding) => ({ ...binding, queue: nameInBroker(binding.queue) })),
      }),
    );
  }

  async #subscribe(subscription: Subscription): Promise<void> {
    const { queue, options, handler, isClosed } = subscription;
    if (isClosed) return;
    const name = this.#server.exclusiveQueues.get(queue) ?? queue;
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

  /** Replaces the name of an exclusive queue in the routing key with its name in the broker. */
  #withQueueNameOfBroker(message: OutgoingMessage): OutgoingMessage {
    if (message.exchange !== '') return message;
    const routingKey = this.#server.exclusiveQueues.get(message.routingKey);
    if (routingKey !== undefined) return { ...message, routingKey };
    if (/control|gateway/.test(message.routingKey)) {
      if (message.mandatory)
        throw new UnroutableError(`simulated: queue ${message.routingKey} does not exist`);
    }
    return message;
  }

  #countBatch(message: OutgoingMessage, outcome: PublishOutcome): void {
    const kind = batchKind(message);
    if (kind === null) return;
    const { batchOutcomes } = this.#server;
    const key: BatchOutcome = `${kind} was ${outcome}`;
    batchOutcomes.set(key, (batchOutcomes.get(key) ?? 0) + 1);
  }

  #notifyListeners(): void {
    for (const listener of this.#listeners) this.#process.run(() => listener(this.state));
  }

  /** Decides at random whether a flaky broker loses a message or a confirm. */
  #losesMessage(): boolean {
    return this.#server.isFlaky && this.#random.chance(SHARE_OF_LOSSES);
  }

  /** Delays a delivery by a random time, and keeps the deliveries of the connection in order. */
  async #delayDelivery(): Promise<void> {
    const now = outsideProcesses(() => Date.now());
    this.#lastArrivalTime = Math.max(
      this.#lastArrivalTime,
      now + this.#random.between(0, MAXIMUM_DELAY_MILLISECONDS),
    );
    const milliseconds = this.#lastArrivalTime - now;
    const wait =
      milliseconds === 0 ? undefined : new Promise<void>((resolve) => setTimeout(resolve, milliseconds));
    // A delivery without a wait must not overtake one whose timer is due now.
    const arrival = Promise.all([this.#lastArrival, wait]);
    this.#lastArrival = arrival;
    await arrival;
  }

  async #delay(maximumMilliseconds = MAXIMUM_DELAY_MILLISECONDS): Promise<void> {
    const milliseconds = this.#random.between(0, maximumMilliseconds);
    if (milliseconds > 0) await new Promise<void>((resolve) => setTimeout(resolve, milliseconds));
  }
}

/** Returns the words for a batch, or for a job outside its batch, in a BatchOutcome; null for another message. */
function batchKind({ type, headers }: OutgoingMessage): string | null {
  if (type === REPLY_BATCH) return 'a batch of replies';
  if (headers?.[REDELIVERED_HEADER] === true) return 'a job that left its batch';
  return type === JOB_BATCH ? 'a batch of jobs' : null;
}

function unconfirmed(): UnconfirmedError {
  return new UnconfirmedError('simulated: the confirm was lost');
}
