import { machineTime } from '@millrace/service';
import type { QueueDefinition, QueueStatus, Verdict } from '../message-bus';
import { DoubleEndedQueue } from '../double-ended-queue';
import type { DeathReason, RoutedMessage } from './dead-letter';
import type { MemoryBudget } from './memory-budget';
import { storeMessage, type StoredMessage } from './stored-message';

/** Maximum length of a queue whose definition has none. */
const MAXIMUM_QUEUE_LENGTH = 1_000_000;
/** Deliveries per iteration before other work of the process runs. */
const DELIVERIES_PER_ITERATION = 256;
const MAXIMUM_TIMER_MILLISECONDS = 2 ** 31 - 1;

interface QueueDependencies {
  readonly memory: MemoryBudget;
  /** Publishes dead-lettered messages. */
  readonly publishDeadLetter: (message: RoutedMessage, queue: QueueDefinition, reason: DeathReason) => void;
}

/** What a queue needs of its consumers. */
export interface QueueConsumer {
  readonly noAck: boolean;
  /** Whether its prefetch admits another message. */
  readonly hasRoom: boolean;
  take(stored: StoredMessage): void;
}

/** One queue: its messages in order, the consumers that share it, and the limits of its definition. */
export class InProcessQueue {
  readonly definition: QueueDefinition;
  readonly #dependencies: QueueDependencies;
  readonly #ready = new DoubleEndedQueue<StoredMessage>();
  readonly #consumers: QueueConsumer[] = [];
  #nextConsumer = 0;
  #isDeliveryDue = false;
  #expiryTimer: NodeJS.Timeout | undefined;
  #expiryTimerAt = Infinity;

  constructor(definition: QueueDefinition, dependencies: QueueDependencies) {
    this.definition = definition;
    this.#dependencies = dependencies;
  }

  get status(): QueueStatus {
    this.#dropExpired();
    return { messages: this.#ready.length, consumers: this.#consumers.length };
  }

  /** False when the queue refuses the message. */
  accept(message: RoutedMessage): boolean {
    this.#dropExpired();
    const { maximumLength = MAXIMUM_QUEUE_LENGTH, overflow } = this.definition;
    const isFull = this.#ready.length >= maximumLength;
    const dropsOldest = this.definition.maximumLength !== undefined && overflow !== 'reject-publish';
    if (isFull && !dropsOldest) return false;
    if (!this.#dependencies.memory.reserve(message.body.length)) return false;
    this.#ready.addLast(storeMessage(message, this.definition, machineTime()));
    if (isFull) this.#removeFirst('maxlen');
    this.#deliverSoon();
    this.#watchExpiry();
    return true;
  }

  addConsumer(consumer: QueueConsumer): void {
    this.#consumers.push(consumer);
    this.#deliverSoon();
  }

  removeConsumer(consumer: QueueConsumer): void {
    const index = this.#consumers.indexOf(consumer);
    if (index >= 0) this.#consumers.splice(index, 1);
  }

  /** Applies the verdict of a delivery. */
  settle(stored: StoredMessage, verdict: Verdict): void {
    if (verdict === 'retry') this.requeue(stored);
    else if (verdict === 'discard') this.#remove(stored, 'rejected');
    else this.#release(stored);
    this.#deliverSoon();
  }

  /** Returns a message to the head of the queue, or dead-letters it when the delivery limit is reached. */
  requeue(stored: StoredMessage): void {
    stored.returns += 1;
    const { kind, deliveryLimit } = this.definition;
    if (kind === 'quorum' && deliveryLimit !== undefined && stored.returns > deliveryLimit) {
      this.#remove(stored, 'delivery_limit');
      return;
    }
    this.#ready.addFirst(stored);
    this.#deliverSoon();
    this.#watchExpiry();
  }

  /** Drops all messages. */
  close(): void {
    clearTimeout(this.#expiryTimer);
    for (let stored = this.#ready.takeFirst(); stored; stored = this.#ready.takeFirst())
      this.#release(stored);
  }

  #deliverSoon(): void {
    if (this.#isDeliveryDue || this.#ready.length === 0 || this.#consumers.length === 0) return;
    this.#isDeliveryDue = true;
    // A macrotask, so that cycles of handlers and publishes do not starve sockets and timers.
    setImmediate(() => {
      this.#isDeliveryDue = false;
      this.#deliver();
    });
  }

  #deliver(): void {
    for (let count = 0; count < DELIVERIES_PER_ITERATION; count += 1) {
      this.#dropExpired();
      const consumer = this.#ready.length === 0 ? undefined : this.#consumerWithRoom();
      const stored = consumer && this.#ready.takeFirst();
      if (!consumer || !stored) {
        this.#watchExpiry();
        return;
      }
      if (consumer.noAck) this.#release(stored);
      consumer.take(stored);
    }
    this.#deliverSoon();
  }

  /** Round-robin, so that competing consumers get equal shares. */
  #consumerWithRoom(): QueueConsumer | undefined {
    for (let tries = 0; tries < this.#consumers.length; tries += 1) {
      this.#nextConsumer = (this.#nextConsumer + 1) % this.#consumers.length;
      const consumer = this.#consumers[this.#nextConsumer];
      if (consumer?.hasRoom) return consumer;
    }
    return undefined;
  }

  #dropExpired(): void {
    const now = machineTime();
    for (
      let first = this.#ready.first();
      first && (first.expiresAt ?? Infinity) <= now;
      first = this.#ready.first()
    ) {
      this.#removeFirst('expired');
    }
  }

  /** Like RabbitMQ, expires messages at the head only, also without a consumer. */
  #watchExpiry(): void {
    const expiresAt = this.#ready.first()?.expiresAt ?? Infinity;
    if (expiresAt >= this.#expiryTimerAt) return;
    clearTimeout(this.#expiryTimer);
    this.#expiryTimerAt = expiresAt;
    const wait = Math.min(Math.max(0, expiresAt - machineTime()), MAXIMUM_TIMER_MILLISECONDS);
    this.#expiryTimer = setTimeout(() => {
      this.#expiryTimerAt = Infinity;
      this.#dropExpired();
      this.#watchExpiry();
    }, wait).unref();
  }

  #removeFirst(reason: DeathReason): void {
    const stored = this.#ready.takeFirst();
    if (stored) this.#remove(stored, reason);
  }

  #remove(stored: StoredMessage, reason: DeathReason): void {
    this.#release(stored);
    this.#dependencies.publishDeadLetter(stored.message, this.definition, reason);
  }

  #release(stored: StoredMessage): void {
    this.#dependencies.memory.release(stored.message.body.length);
  }
}
