import { callbackType } from '@millrace/flow';
import { reasonOf } from '@millrace/messaging';
import type { ExternalBroker } from '@millrace/messaging';
import type { DueCallback } from '@millrace/runs';
import { ConnectionVariableError } from '../intake/queues/broker-urls';
import type { BrokerUrls } from '../intake/queues/broker-urls';
import { reportTime } from './callback-message';
import type { CallbackAnswer } from './send-callback';

const IDLE_MILLISECONDS = 60_000;
const MAXIMUM_CONNECTIONS = 200;
/** Replies of this form go to a caller that waits on its own connection; the broker always returns them. */
const DIRECT_REPLY = 'amq.rabbitmq.reply-to.';

export interface BrokerPublishersOptions {
  readonly urls: BrokerUrls;
  readonly openBroker: (url: string, connectionName: string) => Promise<ExternalBroker>;
  readonly timeoutMilliseconds: number;
  onFailure(): void;
}

interface Connection {
  readonly opening: Promise<ExternalBroker>;
  usedAt: number;
}

/**
 * Publishes reports to users' brokers, over one connection for each URL of a user. A connection is closed when it was not
 * used for a minute.
 */
export class BrokerPublishers {
  readonly #options: BrokerPublishersOptions;
  readonly #connections = new Map<string, Connection>();
  readonly #timer: NodeJS.Timeout;

  constructor(options: BrokerPublishersOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#closeIdle(), IDLE_MILLISECONDS / 2);
    this.#timer.unref();
  }

  /** Publishes one attempt, which the broker has confirmed when its answer has no error. Never rejects. */
  async publish(callback: DueCallback, body: string, signal: AbortSignal): Promise<CallbackAnswer> {
    const { promise: stopped, resolve } = Promise.withResolvers<CallbackAnswer>();
    const stop = () => resolve(answerOf('The process that sent it was stopped.'));
    signal.addEventListener('abort', stop, { once: true });
    const answer = await Promise.race([this.#publish(callback, body), stopped]);
    signal.removeEventListener('abort', stop);
    if (answer.error !== null) this.#options.onFailure();
    return answer;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all([...this.#connections.keys()].map((key) => this.#drop(key)));
  }

  async #publish(callback: DueCallback, body: string): Promise<CallbackAnswer> {
    const { id, userId, kind, run, amqp } = callback;
    const { urls, timeoutMilliseconds } = this.#options;
    if (amqp === null) return answerOf('The report names no exchange.');
    try {
      const url = await urls.find(userId, amqp.connection);
      const broker = await this.#broker(userId, url);
      const outcome = await broker.publish(
        {
          exchange: amqp.exchange,
          routingKey: amqp.routingKey,
          body: Buffer.from(body),
          messageId: id,
          correlationId: amqp.reply ? amqp.reply.correlationId : run.id,
          type: callbackType(kind),
          contentType: 'application/json',
          timestamp: Math.floor(Date.parse(reportTime(callback) ?? run.acceptedAt.toISOString()) / 1_000),
          mandatory: !amqp.routingKey.startsWith(DIRECT_REPLY),
        },
        timeoutMilliseconds,
      );
      if (outcome === 'confirmed') return answerOf(null);
      // The queue of a caller that has left does not come back.
      return { ...answerOf('No queue takes the message.'), isUnwanted: amqp.reply !== undefined };
    } catch (error) {
      if (error instanceof ConnectionVariableError) return { ...answerOf(error.message), isUnsent: true };
      return answerOf(reasonOf(error));
    }
  }

  #broker(userId: string, url: string): Promise<ExternalBroker> {
    const key = `${userId} ${url}`;
    const existing = this.#connections.get(key);
    if (existing) {
      existing.usedAt = performance.now();
      return existing.opening;
    }
    if (this.#connections.size >= MAXIMUM_CONNECTIONS) this.#dropOldest();
    const opening = this.#options.openBroker(url, `millrace callbacks ${userId}`);
    this.#connections.set(key, { opening, usedAt: performance.now() });
    const forget = () => {
      if (this.#connections.get(key)?.opening === opening) this.#connections.delete(key);
    };
    opening.then(({ closed }) => closed).then(forget, forget);
    return opening;
  }

  #closeIdle(): void {
    const before = performance.now() - IDLE_MILLISECONDS;
    for (const [key, { usedAt }] of this.#connections) if (usedAt < before) void this.#drop(key);
  }

  #dropOldest(): void {
    const [oldest] = [...this.#connections].sort(([, left], [, right]) => left.usedAt - right.usedAt);
    if (oldest) void this.#drop(oldest[0]);
  }

  async #drop(key: string): Promise<void> {
    const connection = this.#connections.get(key);
    this.#connections.delete(key);
    await connection?.opening.then((broker) => broker.close()).catch(() => undefined);
  }
}

function answerOf(error: string | null): CallbackAnswer {
  return { status: null, error, answer: null, isUnwanted: false, isUnsent: false, retryAfter: null };
}
