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

const LONGEST_WAY_MILLISECONDS = 8;

interface Subscription {
  readonly queue: string;
  readonly options: ConsumeOptions;
  readonly handler: DeliveryHandler;
  consumer: Consumer | null;
  isClosed: boolean;
}

/** What all connections share: the broker, and under which names exclusive queues are there now. */
export interface BrokerServer {
  readonly bus: InProcessBus;
  /** Exclusive queues go with their connection and come back empty: each life has a queue of its own. */
  readonly exclusive: Map<string, string>;
  isBlocked: boolean;
  /** Confirms get lost, and messages on their way, too. */
  isFlaky: boolean;
}

/**
 * One process' connection to the broker. Cut, it loses its exclusive queues, what was delivered over it goes back to
 * its queue, and verdicts of handlers that still run count for nothing.
 */
export class SimulatedConnection implements MessageBus {
  readonly #server: BrokerServer;
  readonly #process: SimulatedProcess;
  readonly #random: Random;
  readonly #topologies: Topology[] = [];
  readonly #subscriptions: Subscription[] = [];
  readonly #listeners = new Set<(state: BusState) => void>();
  #isConnected = true;
  #lives = 0;
  #lastArrival = 0;
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
    await this.#process.goOn();
    this.#topologies.push(topology);
    if (this.#isConnected) await this.#declare(topology);
  }

  async publish(message: OutgoingMessage): Promise<void> {
    await this.#process.goOn();
    if (this.state !== 'connected') throw new BusUnavailableError('simulated: the broker cannot be reached');
    const life = this.#lives;
    await this.#way();
    if (!this.#isConnected || this.#lives !== life || this.#isLost()) throw unconfirmed();
    await outsideProcesses(() => this.#server.bus.publish(this.#addressed(message)));
    await this.#way();
    await this.#process.goOn();
    if (!this.#isConnected || this.#lives !== life || this.#isLost()) throw unconfirmed();
  }

  async consume(queue: string, options: ConsumeOptions, handler: DeliveryHandler): Promise<Consumer> {
    await this.#process.goOn();
    const subscription: Subscription = { queue, options, handler, consumer: null, isClosed: false };
    this.#subscriptions.push(subscription);
    if (this.#isConnected) await this.#subscribe(subscription);
    return {
      close: async (closeOptions) => {
        subscription.isClosed = true;
        await outsideProcesses(() => subscription.consumer?.close(closeOptions));
        await this.#process.goOn();
      },
    };
  }

  async queueStatus(queue: string): Promise<QueueStatus | null> {
    await this.#process.goOn();
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

  /** The connection breaks; the broker takes back what it had delivered. */
  cut(): void {
    if (!this.#isConnected) return;
    this.#isConnected = false;
    for (const { name } of this.#exclusiveQueues()) this.#server.exclusive.delete(name);
    outsideProcesses(() => {
      for (const { consumer } of this.#subscriptions) void consumer?.close({ deadlineMilliseconds: 0 });
    });
    this.#tell();
  }

  /** The broker closes the channels on which deliveries are settled: it takes those back, and the connection stands. */
  async closeChannels(): Promise<void> {
    if (!this.#isConnected) return;
    const closed = this.#subscriptions.filter(({ options }) => options.noAck !== true);
    outsideProcesses(() => {
      for (const { consumer } of closed) void consumer?.close({ deadlineMilliseconds: 0 });
    });
    const life = this.#lives;
    await this.#way();
    if (this.#isConnected && this.#lives === life)
      for (const subscription of closed) await this.#subscribe(subscription);
  }

  /** As the client does by itself: topology again, consumers again. */
  async reconnect(): Promise<void> {
    if (this.#isConnected || this.#isClosed) return;
    this.#isConnected = true;
    this.#lives += 1;
    for (const topology of this.#topologies) await this.#declare(topology);
    for (const subscription of this.#subscriptions) await this.#subscribe(subscription);
    this.#tell();
  }

  #exclusiveQueues() {
    return this.#topologies.flatMap(({ queues }) => queues.filter(({ exclusive }) => exclusive === true));
  }

  async #declare({ exchanges, queues, bindings }: Topology): Promise<void> {
    const life = (name: string) => `${name} of ${this.#process.name}, life ${this.#lives}`;
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
      await this.#wayIn();
      await this.#process.goOn();
      const verdict = await this.#process.start(() => handler(delivery));
      await outsideProcesses(() => this.#way());
      await this.#process.goOn();
      return verdict;
    };
    subscription.consumer = await outsideProcesses(() => this.#server.bus.consume(name, options, handle));
  }

  /** To a queue of the default exchange under its present name. */
  #addressed(message: OutgoingMessage): OutgoingMessage {
    if (message.exchange !== '') return message;
    const routingKey = this.#server.exclusive.get(message.routingKey);
    if (routingKey !== undefined) return { ...message, routingKey };
    if (/control|gateway/.test(message.routingKey)) {
      if (message.mandatory) throw new UnroutableError(`simulated: there is no ${message.routingKey}`);
    }
    return message;
  }

  #tell(): void {
    for (const listener of this.#listeners) this.#process.run(() => listener(this.state));
  }

  #isLost(): boolean {
    return this.#server.isFlaky && this.#random.chance(0.2);
  }

  /** What comes over one connection comes in order. */
  async #wayIn(): Promise<void> {
    const now = outsideProcesses(() => Date.now());
    this.#lastArrival = Math.max(this.#lastArrival, now + this.#random.between(0, LONGEST_WAY_MILLISECONDS));
    const milliseconds = this.#lastArrival - now;
    if (milliseconds > 0) await new Promise<void>((resolve) => setTimeout(resolve, milliseconds));
  }

  async #way(): Promise<void> {
    const milliseconds = this.#random.between(0, LONGEST_WAY_MILLISECONDS);
    if (milliseconds > 0) await new Promise<void>((resolve) => setTimeout(resolve, milliseconds));
  }
}

function unconfirmed(): UnconfirmedError {
  return new UnconfirmedError('simulated: no confirm came');
}
