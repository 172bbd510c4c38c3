import { randomUUID } from 'node:crypto';
import type {
  Consumer,
  Delivery,
  MessageBus,
  OutgoingMessage,
  QueueDefinition,
  Topology,
  Verdict,
} from '../message-bus';

export interface BusUnderTest {
  readonly bus: MessageBus;
  /** Removes these from the broker. */
  readonly remove: (topology: Topology) => Promise<void>;
}

/** A bus, and what the tests of the contract need around it: names of their own, and nothing left behind. */
export class GivenBus {
  readonly #open: () => Promise<BusUnderTest>;
  #opened: BusUnderTest | undefined;
  #declared: Topology[] = [];
  prefix = '';

  constructor(open: () => Promise<BusUnderTest>) {
    this.#open = open;
  }

  get bus(): MessageBus {
    return this.#opened!.bus;
  }

  async begin(): Promise<void> {
    this.#opened = await this.#open();
    this.#declared = [];
    this.prefix = `test-${randomUUID()}.`;
  }

  /** The bus goes first: it would declare a queue again that is taken away from one of its consumers. */
  async end(): Promise<void> {
    await this.bus.close();
    for (const declared of this.#declared) await this.#opened?.remove(declared);
  }

  async provision(parts: Partial<Topology>): Promise<void> {
    this.#declared.push(topology(parts));
    await this.bus.provision(topology(parts));
  }

  /** Declares a queue and returns its name. */
  async aQueue(settings: Partial<QueueDefinition> = {}): Promise<string> {
    const name = `${this.prefix}queue-${randomUUID().slice(0, 8)}`;
    await this.provision({ queues: [{ name, kind: 'classic', ...settings }] });
    return name;
  }

  /** A quorum queue, and another where its dead letters arrive. */
  async aQueueWithDeadLetters(settings: Partial<QueueDefinition> = {}) {
    const exchange = `${this.prefix}dead`;
    const [queue, dead] = [`${this.prefix}work`, `${this.prefix}work.dead`];
    const work: QueueDefinition = {
      name: queue,
      kind: 'quorum',
      deadLetterExchange: exchange,
      deadLetterRoutingKey: 'dead',
      deadLetterStrategy: 'at-least-once',
      overflow: 'reject-publish',
      ...settings,
    };
    await this.provision({
      exchanges: [{ name: exchange, kind: 'direct' }],
      queues: [{ name: dead, kind: 'quorum' }, work],
      bindings: [{ exchange, queue: dead, routingKey: 'dead' }],
    });
    return { queue, dead };
  }

  /** Takes everything and keeps it; the verdicts come in turn, the last one for all the rest. */
  async collect(
    queue: string,
    verdicts: Verdict[] = ['done'],
    prefetch = 10,
  ): Promise<{ readonly deliveries: Delivery[]; readonly consumer: Consumer }> {
    const deliveries: Delivery[] = [];
    const consumer = await this.bus.consume(queue, { prefetch }, async (delivery) => {
      deliveries.push(delivery);
      return verdicts[Math.min(deliveries.length, verdicts.length) - 1] ?? 'done';
    });
    return { deliveries, consumer };
  }

  async waiting(queue: string): Promise<number | undefined> {
    return (await this.bus.queueStatus(queue))?.messages;
  }
}

/** A topology of these parts and no others. */
export function topology(parts: Partial<Topology>): Topology {
  return { exchanges: [], queues: [], bindings: [], ...parts };
}

/** A message to a queue, by its name. */
export function messageTo(
  queue: string,
  text = 'hello',
  more: Partial<OutgoingMessage> = {},
): OutgoingMessage {
  const body = Buffer.from(text);
  return { exchange: '', routingKey: queue, body, persistent: false, mandatory: true, ...more };
}

export function texts(deliveries: readonly Delivery[]): string[] {
  return deliveries.map(({ body }) => body.toString());
}
