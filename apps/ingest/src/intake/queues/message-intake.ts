import { setTimeout as pause } from 'node:timers/promises';
import type { Callback } from '@millrace/flow';
import type { QueueSourceRules } from '@millrace/dispatch';
import { newTriggerEvent, queueInputs } from '@millrace/dispatch';
import type { ExternalConsumer, ExternalDelivery } from '@millrace/messaging';
import { isRowError } from '@millrace/runs';
import type { EventAcceptance, HeldSource, NewTriggerEvent } from '@millrace/runs';
import { backoff, uuidv7 } from '@millrace/service';
import { DurableIntake } from '../durable-intake';
import type { QueueSourceDependencies } from './queue-source-dependencies';
import { MessageRefusal, readMessage } from './read-message';
import type { ReadMessage } from './read-message';

const PAUSES = { initialMilliseconds: 500, maximumMilliseconds: 15_000 };
const RETURN_PAUSE_MILLISECONDS = 1_000;
const BACKLOG_PAUSE_MILLISECONDS = 1_000;
const EXCERPT_BYTES = 1_024;

export interface MessageIntakeOptions extends QueueSourceDependencies {
  readonly rules: QueueSourceRules;
  /** The trigger and the newest version of its flow. */
  readonly held: () => HeldSource;
  /** Ends every wait. */
  readonly signal: AbortSignal;
  /** Notes whether the source waits for room in the user's backlog. */
  readonly onBacklogFull: (isFull: boolean) => void;
}

/**
 * Turns the messages of one source into events. A message is acknowledged after its event and its run are committed, many
 * in one transaction. A message that becomes no event is rejected after its rejection is stored.
 */
export class MessageIntake {
  readonly #options: MessageIntakeOptions;
  readonly #intake: DurableIntake<NewTriggerEvent, EventAcceptance>;
  readonly #taking = new Set<Promise<void>>();
  #room: Promise<void> | null = null;
  #isStoring = true;

  constructor(options: MessageIntakeOptions) {
    this.#options = options;
    const { triggerEvents, publishedRunsPerUser: publishedPerUser } = options;
    this.#intake = new DurableIntake({
      ...options,
      commit: (events) => triggerEvents.accept(events, { publishedPerUser }),
      commitsAtOnce: 1,
    });
  }

  /** Takes a message, which is settled later. */
  take(delivery: ExternalDelivery, consumer: ExternalConsumer): void {
    const taking = this.#take(delivery, consumer).finally(() => this.#taking.delete(taking));
    this.#taking.add(taking);
  }

  /** Resolves when no message is being taken. */
  async settled(): Promise<void> {
    await Promise.all(this.#taking);
  }

  async close(): Promise<void> {
    await this.settled();
    await this.#intake.close();
  }

  /** Never rejects. */
  async #take(delivery: ExternalDelivery, consumer: ExternalConsumer): Promise<void> {
    const { bodies, limits, rules, logger } = this.#options;
    const share = bodies.open();
    try {
      share.ownedBy(this.#names().userId);
      if (!share.take(delivery.body?.length ?? 0)) return await this.#return(delivery, consumer);
      await this.#untilRoom(consumer);
      const acceptance = await this.#store(readMessage(delivery, rules, limits), delivery, consumer);
      if (acceptance === 'unknown') return;
      // The trigger was paused or deleted in the meantime.
      if (acceptance.runId === null) return await this.#return(delivery, consumer);
      consumer.acknowledge(delivery);
    } catch (error) {
      if (error instanceof MessageRefusal) return await this.#reject(delivery, consumer, error);
      logger.error({ error, ...this.#names() }, 'a message could not be taken; it returns to its queue');
      await this.#return(delivery, consumer);
    } finally {
      share.close();
    }
  }

  #isOver(consumer: ExternalConsumer): boolean {
    return !consumer.isOpen || this.#options.signal.aborted;
  }

  #names(): { readonly triggerId: string; readonly userId: string } {
    const { trigger } = this.#options.held();
    return { triggerId: trigger.id, userId: trigger.userId };
  }

  /** The pause keeps a message that cannot be taken from arriving again at once. */
  async #return(delivery: ExternalDelivery, consumer: ExternalConsumer): Promise<void> {
    await this.#pause(RETURN_PAUSE_MILLISECONDS);
    consumer.requeue(delivery);
  }

  /** Waits until the user's backlog has room, so that messages stay in their queue meanwhile. */
  async #untilRoom(consumer: ExternalConsumer): Promise<void> {
    const { onBacklogFull } = this.#options;
    const isFull = () => !this.#intake.hasRoom(this.#names().userId);
    if (this.#room === null && !isFull()) return;
    this.#room ??= (async () => {
      onBacklogFull(true);
      while (!this.#isOver(consumer) && isFull()) await this.#pause(BACKLOG_PAUSE_MILLISECONDS);
      this.#room = null;
      if (!this.#isOver(consumer)) onBacklogFull(false);
    })();
    await this.#room;
  }

  /**
   * Stores the event of a message, again while the database is unavailable; `unknown` when the consumer ended meanwhile.
   * Each try has another event with the same dedupe key, since one whose answer was lost may be stored.
   */
  async #store(
    message: ReadMessage,
    delivery: ExternalDelivery,
    consumer: ExternalConsumer,
  ): Promise<EventAcceptance | 'unknown'> {
    for (let failures = 0; ; failures += 1) {
      if (this.#isOver(consumer)) return 'unknown';
      const event = this.#eventOf(message, delivery);
      try {
        const acceptance = await this.#intake.store(event);
        if (acceptance.isLocked) throw new Error('another session locks the row of the trigger');
        this.#isStoring = true;
        if (acceptance.runId !== null) this.#stored(event, acceptance);
        return acceptance;
      } catch (error) {
        if (isRowError(error)) throw new MessageRefusal('refused', 'The database refused the message.');
        this.#noteFailure(error);
        await this.#pause(backoff({ ...PAUSES, attempt: failures }));
      }
    }
  }

  #eventOf({ dedupeKey, payload, body }: ReadMessage, delivery: ExternalDelivery): NewTriggerEvent {
    const { rules, held, backgroundLimitMilliseconds, maximumAttempts } = this.#options;
    const { trigger, flow } = held();
    return newTriggerEvent({
      id: uuidv7(),
      trigger,
      flow,
      dedupeKey,
      payload,
      ...queueInputs(trigger, body),
      callback: replyTo(delivery, rules),
      requestId: null,
      limitMilliseconds: backgroundLimitMilliseconds,
      maximumAttempts,
    });
  }

  #stored({ run }: NewTriggerEvent, { isNew, isInBacklog }: EventAcceptance): void {
    const { counts } = this.#options;
    if (!isNew) return counts.deduplicated();
    counts.taken();
    this.#intake.release(run, isInBacklog);
  }

  async #reject(
    delivery: ExternalDelivery,
    consumer: ExternalConsumer,
    { reason, message: detail }: MessageRefusal,
  ): Promise<void> {
    const { sources, counts, logger } = this.#options;
    const { triggerId } = this.#names();
    const { messageId, body, bytes } = delivery;
    const excerpt = body && body.subarray(0, EXCERPT_BYTES).toString();
    for (let failures = 0; !this.#isOver(consumer); failures += 1) {
      try {
        await sources.reject(triggerId, { reason, detail, messageId, bytes, excerpt });
        consumer.reject(delivery);
        counts.rejected(reason);
        return logger.warn({ ...this.#names(), reason, messageId, bytes }, 'a message was rejected');
      } catch (error) {
        this.#noteFailure(error);
        await this.#pause(backoff({ ...PAUSES, attempt: failures }));
      }
    }
  }

  /** Logs the first failure until a message is stored again. */
  #noteFailure(error: unknown): void {
    if (!this.#isStoring || this.#options.signal.aborted) return;
    this.#isStoring = false;
    this.#options.logger.warn(
      { error, ...this.#names() },
      'messages of a source could not be stored; this will be retried',
    );
  }

  async #pause(milliseconds: number): Promise<void> {
    await pause(milliseconds, undefined, { signal: this.#options.signal }).catch(() => undefined);
  }
}

/** Returns where the end of a message's run is reported. A reply to the source's own queue would start a further run. */
function replyTo(
  { replyTo: routingKey, correlationId }: ExternalDelivery,
  { reply, connection, queue }: QueueSourceRules,
): Callback | null {
  if (!reply || routingKey === null || routingKey === queue) return null;
  return { amqp: { connection, exchange: '', routingKey, reply: { correlationId } } };
}
