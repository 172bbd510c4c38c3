import { setTimeout as pause } from 'node:timers/promises';
import type { QueueSourceRules } from '@millrace/dispatch';
import { reasonOf } from '@millrace/messaging';
import type { ExternalBroker } from '@millrace/messaging';
import type { HeldSource, QueueSourceStore } from '@millrace/runs';
import { backoff } from '@millrace/service';
import { ConnectionVariableError } from './broker-urls';
import { MessageIntake } from './message-intake';
import type { QueueSourceDependencies } from './queue-source-dependencies';

const PAUSES = { initialMilliseconds: 1_000, maximumMilliseconds: 60_000 };

type SourceNote = Parameters<QueueSourceStore['note']>[2];

export interface QueueSourceOptions {
  readonly dependencies: QueueSourceDependencies;
  /** The process, as the owner of the lease. */
  readonly owner: string;
  readonly held: HeldSource;
  readonly rules: QueueSourceRules;
}

/** Consumes from the queue of one trigger until it is closed: connects, and again whenever the connection is lost. */
export class QueueSource {
  readonly #options: QueueSourceOptions;
  readonly #intake: MessageIntake;
  readonly #closing = new AbortController();
  readonly #ran: Promise<void>;
  #held: HeldSource;
  #noting: Promise<void> = Promise.resolve();
  /** Ends the connection, so that another one is opened. */
  #reconnect: (reason: string) => void = () => undefined;
  /** The URL of the open connection. */
  #url: string | null = null;

  constructor(options: QueueSourceOptions) {
    this.#options = options;
    this.#held = options.held;
    this.#intake = new MessageIntake({
      ...options.dependencies,
      rules: options.rules,
      held: () => this.#held,
      signal: this.#closing.signal,
      onBacklogFull: (isFull) => this.#note({ state: isFull ? 'backlog_full' : 'consuming', error: null }),
    });
    this.#ran = this.#run();
  }

  get isConsuming(): boolean {
    return this.#url !== null;
  }

  /** Uses the newest version of the trigger and its flow, and connects again when the URL of its broker has changed. */
  update(held: HeldSource): void {
    this.#held = held;
    void this.#checkUrl();
  }

  /** Stops taking messages. Those that are not stored are in the queue again. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#reconnect('The source was closed.');
    await this.#ran;
    await this.#intake.close();
    await this.#noting;
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    for (let failures = 0; !signal.aborted;) {
      const began = performance.now();
      const reason = await this.#consume().catch((error: unknown) => textOf(error));
      this.#url = null;
      if (signal.aborted) return;
      failures = performance.now() - began > PAUSES.maximumMilliseconds ? 1 : failures + 1;
      const { dependencies, rules } = this.#options;
      const { id: triggerId, userId } = this.#held.trigger;
      this.#note({ state: 'failing', error: reason });
      dependencies.logger.warn(
        { triggerId, userId, queue: rules.queue, reason, failures },
        'a source does not consume; it will connect again',
      );
      await pause(backoff({ ...PAUSES, attempt: failures - 1 }), undefined, { signal }).catch(
        () => undefined,
      );
      if (!signal.aborted) dependencies.counts.reconnecting();
    }
  }

  /** Consumes until the connection or the consumer ends; resolves to the reason. */
  async #consume(): Promise<string> {
    const { dependencies, rules } = this.#options;
    const { urls, openBroker, logger } = dependencies;
    const { id: triggerId, userId } = this.#held.trigger;
    const url = await urls.find(userId, rules.connection);
    const broker = await openBroker(url, `millrace trigger ${triggerId}`);
    try {
      const ending = new Promise<string>((resolve) => (this.#reconnect = resolve));
      if (this.#closing.signal.aborted) return 'The source was closed.';
      const reason = await this.#consumeFrom(broker, ending, () => {
        this.#url = url;
        this.#note({ state: 'consuming', error: null });
        logger.info({ triggerId, userId, queue: rules.queue }, 'a source consumes');
      });
      return reason;
    } finally {
      await broker.close();
      await this.#intake.settled();
    }
  }

  async #consumeFrom(
    broker: ExternalBroker,
    ending: Promise<string>,
    onStarted: () => void,
  ): Promise<string> {
    const { dependencies, rules } = this.#options;
    const { maximumPrefetch, maximumBytes } = dependencies.limits;
    const prefetch = Math.min(rules.prefetch, maximumPrefetch);
    const consumer = await broker.consume(rules.queue, { prefetch, maximumBytes }, (delivery, from) =>
      this.#intake.take(delivery, from),
    );
    onStarted();
    const lost = (reason: string) => `The source lost its connection: ${reason}.`;
    const reason = await Promise.race([ending, broker.closed.then(lost), consumer.ended.then(lost)]);
    await consumer.cancel();
    // What is being committed is acknowledged before the channel closes.
    if (this.#closing.signal.aborted) await this.#intake.settled();
    await consumer.close();
    return reason;
  }

  async #checkUrl(): Promise<void> {
    if (this.#url === null) return;
    const { dependencies, rules } = this.#options;
    try {
      const url = await dependencies.urls.find(this.#held.trigger.userId, rules.connection);
      if (url !== this.#url) this.#reconnect(`The variable ${rules.connection} has changed.`);
    } catch (error) {
      // Without the database, the connection is used on.
      if (error instanceof ConnectionVariableError) this.#reconnect(error.message);
    }
  }

  #note(note: SourceNote): void {
    const { dependencies, owner } = this.#options;
    const { id: triggerId, userId } = this.#held.trigger;
    this.#noting = this.#noting
      .then(() => dependencies.sources.note(owner, triggerId, note))
      .catch((error: unknown) =>
        dependencies.logger.warn({ error, triggerId, userId }, 'the state of a source could not be stored'),
      );
  }
}

function textOf(error: unknown): string {
  return error instanceof ConnectionVariableError ? error.message : reasonOf(error);
}
