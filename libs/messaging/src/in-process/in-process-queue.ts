import type { QueueDefinition, QueueStatus, Verdict } from '../message-bus';
import { DoubleEndedQueue } from '../double-ended-queue';
import type { DeathReason, RoutedMessage } from './dead-letter';
import type { InProcessConsumer } from './in-process-consumer';
import type { MemoryBudget } from './memory-budget';
import { storeMessage, type StoredMessage } from './stored-message';

/** Kept by a queue that names no maximum of its own. */
const LONGEST_QUEUE = 1_000_000;
/** Deliveries in one go before other work of the process gets its turn. */
const DELIVERIES_AT_A_TIME = 256;
const LONGEST_TIMER_MILLISECONDS = 2 ** 31 - 1;

interface QueueSurroundings {
  readonly memory: MemoryBudget;
  /** Where dead messages go. */
  readonly bury: (message: RoutedMessage, queue: QueueDefinition, reason: DeathReason) => void;
}

/** One queue: messages in order, the consumers that share them, and what its definition says about limits. */
export class InProcessQueue {
  readonly definition: QueueDefinition;
  readonly #surroundings: QueueSurroundings;
  readonly #ready = new DoubleEndedQueue<StoredMessage>();
  readonly #consumers: InProcessConsumer[] = [];
  #nextConsumer = 0;
  #isDeliveryDue = false;
  #expiryTimer: NodeJS.Timeout | undefined;
  #expiryTimerAt = Infinity;

  constructor(definition: QueueDefinition, surroundings: QueueSurroundings) {
    this.definition = definition;
    this.#surroundings = surroundings;
  }

  get status(): QueueStatus {
    this.#dropExpired();
    return { messages: this.#ready.length, consumers: this.#consumers.length };
  }

  /** False when the queue refuses the message. */
  accept(message: RoutedMessage): boolean {
    this.#dropExpired();
    const { maximumLength = LONGEST_QUEUE, overflow } = this.definition;
    const isFull = this.#ready.length >= maximumLength;
    const dropsOldest = this.definition.maximumLength !== undefined && overflow !== 'reject-publish';
    if (isFull && !dropsOldest) return false;
    if (!this.#surroundings.memory.take(message.body.length)) return false;
    this.#ready.addLast(storeMessage(message, this.definition, Date.now()));
    if (isFull) this.#removeFirst('maxlen');
    this.#deliverSoon();
    this.#watchExpiry();
    return true;
  }

  addConsumer(consumer: InProcessConsumer): void {
    this.#consumers.push(consumer);
    this.#deliverSoon();
  }

  removeConsumer(consumer: InProcessConsumer): void {
    const index = this.#consumers.indexOf(consumer);
    if (index >= 0) this.#consumers.splice(index, 1);
  }

  /** What was given out has its verdict. */
  settle(stored: StoredMessage, verdict: Verdict): void {
    if (verdict === 'retry') this.giveBack(stored);
    else if (verdict === 'discard') this.#remove(stored, 'rejected');
    else this.#release(stored);
    this.#deliverSoon();
  }

  /** To the head of the queue, or to the dead letters when it came back too often. */
  giveBack(stored: StoredMessage): void {
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

  /** Forgets everything. */
  close(): void {
    clearTimeout(this.#expiryTimer);
    for (let stored = this.#ready.takeFirst(); stored; stored = this.#ready.takeFirst())
      this.#release(stored);
  }

  #deliverSoon(): void {
    if (this.#isDeliveryDue || this.#ready.length === 0 || this.#consumers.length === 0) return;
    this.#isDeliveryDue = true;
    // A macrotask: handlers that publish and publishes that deliver must not keep sockets and timers waiting.
    setImmediate(() => {
      this.#isDeliveryDue = false;
      this.#deliver();
    });
  }

  #deliver(): void {
    for (let count = 0; count < DELIVERIES_AT_A_TIME; count += 1) {
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

  /** Takes turns, so that competing consumers get equal shares. */
  #consumerWithRoom(): InProcessConsumer | undefined {
    for (let tries = 0; tries < this.#consumers.length; tries += 1) {
      this.#nextConsumer = (this.#nextConsumer + 1) % this.#consumers.length;
      const consumer = this.#consumers[this.#nextConsumer];
      if (consumer?.hasRoom) return consumer;
    }
    return undefined;
  }

  #dropExpired(): void {
    const now = Date.now();
    for (
      let first = this.#ready.first();
      first && (first.expiresAt ?? Infinity) <= now;
      first = this.#ready.first()
    ) {
      this.#removeFirst('expired');
    }
  }

  /** Expiry happens at the head, like RabbitMQ's, and needs no consumer. */
  #watchExpiry(): void {
    const expiresAt = this.#ready.first()?.expiresAt ?? Infinity;
    if (expiresAt >= this.#expiryTimerAt) return;
    clearTimeout(this.#expiryTimer);
    this.#expiryTimerAt = expiresAt;
    const wait = Math.min(Math.max(0, expiresAt - Date.now()), LONGEST_TIMER_MILLISECONDS);
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
    this.#surroundings.bury(stored.message, this.definition, reason);
  }

  #release(stored: StoredMessage): void {
    this.#surroundings.memory.giveBack(stored.message.body.length);
  }
}
