import { inTraceOfMessage } from '@millrace/service';
import type { Logger } from '@millrace/service';
import { CLOSE_DEADLINE_MILLISECONDS, InFlightCounter } from '../in-flight-counter';
import type { ConsumeOptions, Consumer, DeliveryHandler } from '../message-bus';
import { runHandler } from '../run-handler';
import type { InProcessQueue } from './in-process-queue';
import { deliveryOf, type StoredMessage } from './stored-message';

/** One subscription to one queue. */
export class InProcessConsumer implements Consumer {
  readonly noAck: boolean;
  readonly #queue: InProcessQueue;
  readonly #prefetch: number;
  readonly #handler: DeliveryHandler;
  readonly #logger: Logger;
  readonly #unsettled = new Set<StoredMessage>();
  readonly #running = new InFlightCounter();
  #closing: Promise<void> | undefined;

  constructor(queue: InProcessQueue, options: ConsumeOptions, handler: DeliveryHandler, logger: Logger) {
    this.noAck = options.noAck === true;
    this.#queue = queue;
    this.#prefetch = options.prefetch;
    this.#handler = handler;
    this.#logger = logger;
  }

  get hasRoom(): boolean {
    return this.noAck || this.#unsettled.size < this.#prefetch;
  }

  /** Starts the handler on this message. */
  take(stored: StoredMessage): void {
    if (!this.noAck) this.#unsettled.add(stored);
    this.#running.begin();
    const delivery = deliveryOf(stored, this.#queue.definition);
    const { name } = this.#queue.definition;
    const handling = inTraceOfMessage(delivery.headers, () =>
      runHandler(this.#handler, delivery, name, this.#logger),
    );
    void handling.then((verdict) => {
      // A delivery that close() returned to the queue must not be settled here.
      if (this.#unsettled.delete(stored)) this.#queue.settle(stored, verdict);
      this.#running.end();
    });
  }

  close(options: { readonly deadlineMilliseconds?: number } = {}): Promise<void> {
    this.#closing ??= this.#close(options.deadlineMilliseconds ?? CLOSE_DEADLINE_MILLISECONDS);
    return this.#closing;
  }

  async #close(deadlineMilliseconds: number): Promise<void> {
    this.#queue.removeConsumer(this);
    await this.#running.whenIdle(deadlineMilliseconds);
    const rest = [...this.#unsettled].reverse();
    this.#unsettled.clear();
    for (const stored of rest) this.#queue.requeue(stored);
  }
}
