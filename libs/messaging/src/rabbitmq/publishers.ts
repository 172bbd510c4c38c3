import type { ChannelModel } from 'amqplib';
import type { OutgoingMessage } from '../message-bus';
import { Publisher, type PublisherOptions } from './publisher';
import type { TargetProblem } from './target-health';
import type { TopologyDeclarer } from './topology-declarer';

/** For a frozen or overloaded node, where every channel of the connection waits. */
const ALL_STUCK_TIMEOUTS = 3;
/** For a single queue: its channel recovers with its queue, and cutting the connection would disturb all others. */
const ONE_STUCK_TIMEOUTS = 12;
const MAXIMUM_TARGETS = 10_000;

export type PublishersOptions = Omit<PublisherOptions, 'name' | 'stuckTimeouts'> & {
  readonly declarer: TopologyDeclarer;
};

/**
 * One publisher for all queues except quorum queues, which have one each: RabbitMQ 3.10 stalls a channel that publishes
 * to a quorum queue without a leader, for half a minute or more, and with it all later messages.
 */
export class Publishers {
  readonly #options: PublishersOptions;
  readonly #shared: Publisher;
  /** By queue. */
  readonly #byQueue = new Map<string, Publisher>();
  /** By exchange and routing key. */
  readonly #byTarget = new Map<string, Map<string, Publisher>>();
  #model: ChannelModel | null = null;
  #isBlocked = false;

  constructor(options: PublishersOptions) {
    this.#options = options;
    this.#shared = new Publisher({ ...options, name: 'publish', stuckTimeouts: ALL_STUCK_TIMEOUTS });
  }

  get isBlocked(): boolean {
    return this.#isBlocked;
  }

  /** Returns the targets that refuse messages or do not confirm them. */
  problems(): TargetProblem[] {
    return this.#all().flatMap((publisher) => publisher.problems());
  }

  /** Opens the channels of these queues now, so that the number of channels does not grow later. */
  prepare(queues: readonly { readonly name: string }[]): void {
    if (this.#model) for (const { name } of queues) this.#publisherOfQueue(name);
  }

  async connected(model: ChannelModel): Promise<void> {
    this.#isBlocked = false;
    this.#model = model;
    await Promise.all(this.#all().map((publisher) => publisher.connected(model)));
  }

  disconnected(): void {
    this.#model = null;
    for (const publisher of this.#all()) publisher.disconnected();
  }

  block(isBlocked: boolean): void {
    this.#isBlocked = isBlocked;
    for (const publisher of this.#all()) publisher.block(isBlocked);
  }

  /** Not async: this is the hot path, and one promise per message is enough. */
  publish(message: OutgoingMessage): Promise<void> {
    return this.#publisherFor(message).publish(message);
  }

  async close(): Promise<void> {
    await Promise.all(this.#all().map((publisher) => publisher.close()));
  }

  #all(): Publisher[] {
    return [this.#shared, ...this.#byQueue.values()];
  }

  #publisherFor({ exchange, routingKey }: OutgoingMessage): Publisher {
    let ofExchange = this.#byTarget.get(exchange);
    if (!ofExchange) this.#byTarget.set(exchange, (ofExchange = new Map<string, Publisher>()));
    const known = ofExchange.get(routingKey);
    if (known) return known;
    const queue = this.#options.declarer.queueFor(exchange, routingKey);
    const publisher = this.#publisherOfQueue(queue);
    // The exchange can get its binding later.
    if (queue === undefined && exchange !== '') return publisher;
    if (ofExchange.size >= MAXIMUM_TARGETS) ofExchange.clear();
    ofExchange.set(routingKey, publisher);
    return publisher;
  }

  #publisherOfQueue(queue: string | undefined): Publisher {
    if (queue === undefined || this.#options.declarer.definitionOf(queue)?.kind !== 'quorum')
      return this.#shared;
    return this.#byQueue.get(queue) ?? this.#open(queue);
  }

  /** Opens a publisher. Its first messages wait until its channel is open. */
  #open(queue: string): Publisher {
    const publisher = new Publisher({
      ...this.#options,
      name: `publish to ${queue}`,
      stuckTimeouts: ONE_STUCK_TIMEOUTS,
    });
    this.#byQueue.set(queue, publisher);
    if (this.#isBlocked) publisher.block(true);
    // The channel opens again after a failure, and logs those that follow.
    if (this.#model) publisher.connected(this.#model).catch(() => undefined);
    return publisher;
  }
}
