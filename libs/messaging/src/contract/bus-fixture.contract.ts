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
  /** Removes this topology from the broker. */
  readonly remove: (topology: Topology) => Promise<void>;
}

/** A bus with helpers for the contract's tests: unique names, and cleanup of everything declared. */
export class BusFixture {
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

  /** Closes the bus first: it would declare a removed queue of its consumers again. */
  async end(): Promise<void> {
    await this.bus.close();
    for (const declared of this.#declared) await this.#opened?.remove(declared);
  }

  async provision(parts: Partial<Topology>): Promise<void> {
    this.#declared.push(topology(parts));
    await this.bus.provision(topology(parts));
  }

  /** Declares a queue and returns its name. */
  async declareQueue(settings: Partial<QueueDefinition> = {}): Promise<string> {
    const name = `${this.prefix}queue-${randomUUID().slice(0, 8)}`;
    await this.provision({ queues: [{ name, kind: 'classic', ...settings }] });
    return name;
  }

  /** Declares a quorum queue, and another queue that receives its dead letters. */
  async declareQueueWithDeadLetters(settings: Partial<QueueDefinition> = {}) {
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

  /** Collects all deliveries; the verdicts are returned in order, the last one for all remaining deliveries. */
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

  async readyMessages(queue: string): Promise<number | undefined> {
    return (await this.bus.queueStatus(queue))?.messages;
  }
}

/** Returns a topology with only these parts. */
export function topology(parts: Partial<Topology>): Topology {
  return { exchanges: [], queues: [], bindings: [], ...parts };
}

/** Returns a message to the queue with this name. */
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
