import { EncryptionError, ObjectStoreUnavailableError } from '@millrace/runs';
import type { AttemptOutcome, CallbackStore, DueCallback } from '@millrace/runs';
import { backoff, machineTime } from '@millrace/service';
import type { Logger, OutgoingFetch } from '@millrace/service';
import type { WebhookSecrets } from '../intake/webhooks/signatures/webhook-secrets';
import type { BrokerPublishers } from './broker-publishers';
import { CallbackCircuits } from './callback-circuits';
import { callbackBody, callbackHeaders } from './callback-message';
import { sendCallback } from './send-callback';
import type { CallbackAnswer } from './send-callback';

const TICK_MILLISECONDS = 1_000;
/** Time in which ended attempts are awaited, so that one statement takes several deliveries. */
const GATHER_MILLISECONDS = 10;
const MAXIMUM_UNDER_WAY = 64;
const FIRST_BACKOFF_MILLISECONDS = 5_000;
const MAXIMUM_BACKOFF_MILLISECONDS = 21_600_000;
const COUNT_MILLISECONDS = 15_000;
const MAXIMUM_EXPIRED = 1_000;

export interface CallbackSenderDependencies {
  readonly callbacks: Pick<CallbackStore, 'take' | 'whole' | 'finish' | 'expire' | 'count'>;
  readonly secrets: Pick<WebhookSecrets, 'find'>;
  readonly fetch: OutgoingFetch;
  readonly brokers: Pick<BrokerPublishers, 'publish'>;
  readonly logger: Logger;
  /** Maximum number of attempts under way to one target. */
  readonly concurrency: number;
  readonly timeoutMilliseconds: number;
  /** Interval at which due deliveries are looked for; default one second. */
  readonly intervalMilliseconds?: number | undefined;
  onAttempt(outcome: 'delivered' | 'failed'): void;
  onDead(count: number): void;
}

/**
 * Sends callbacks, each at least once with a stable id. Any number of processes can run it: each delivery is taken by one
 * of them, and by another one when that process ends. Circuits and limits of connections are per process.
 */
export class CallbackSender {
  readonly #dependencies: CallbackSenderDependencies;
  readonly #circuits = new CallbackCircuits();
  readonly #underWay = new Map<string, number>();
  readonly #attempts = new Set<Promise<void>>();
  readonly #closing = new AbortController();
  #loop: Promise<void> = Promise.resolve();
  #wake: () => void = () => undefined;
  #countedAt = -Infinity;
  /** The user who had the last turn. */
  #after: string | undefined;
  /** The newest count of the deliveries of all processes. */
  count = { pending: 0, oldestSeconds: 0 };

  constructor(dependencies: CallbackSenderDependencies) {
    this.#dependencies = dependencies;
  }

  /** How many targets have an open circuit in this process. */
  get openCircuits(): number {
    return [...this.#circuits.limits(machineTime()).values()].filter((limit) => limit === 0).length;
  }

  start(): void {
    this.#loop = this.#run();
  }

  /** Stops taking deliveries and aborts attempts that are under way; those become due at once. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#wake();
    await this.#loop;
    await Promise.all(this.#attempts);
  }

  async #run(): Promise<void> {
    while (!this.#closing.signal.aborted) {
      const taken = await this.#round();
      await this.#next(taken > 0);
    }
  }

  /** Waits for the next round, or until an attempt ends. */
  async #next(isBusy: boolean): Promise<void> {
    if (isBusy && this.#attempts.size === 0) return;
    const { intervalMilliseconds = TICK_MILLISECONDS } = this.#dependencies;
    const isWoken = await new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => resolve(false), intervalMilliseconds);
      this.#wake = () => {
        clearTimeout(timer);
        resolve(true);
      };
      if (this.#closing.signal.aborted) this.#wake();
    });
    this.#wake = () => undefined;
    if (isWoken) await new Promise((resolve) => setTimeout(resolve, GATHER_MILLISECONDS));
  }

  /** Starts attempts; resolves to their number. */
  async #round(): Promise<number> {
    const { callbacks, logger, concurrency } = this.#dependencies;
    try {
      await this.#countAndExpire();
      const limit = MAXIMUM_UNDER_WAY - this.#attempts.size;
      if (limit <= 0) return 0;
      const places = this.#places();
      const due = await callbacks.take({ limit, perTarget: concurrency, places, after: this.#after });
      this.#after = lastInTurn(due, this.#after) ?? this.#after;
      for (const callback of due) this.#begin(callback);
      return due.length;
    } catch (error) {
      logger.warn({ error }, 'callbacks could not be read; they will be retried');
      return 0;
    }
  }

  /** How many further deliveries can go to each target that is busy or has no closed circuit. */
  #places(): Map<string, number> {
    const places = this.#circuits.limits(machineTime());
    for (const [target, underWay] of this.#underWay) {
      const limit = places.get(target) ?? this.#dependencies.concurrency;
      places.set(target, Math.max(0, limit - underWay));
    }
    return places;
  }

  async #countAndExpire(): Promise<void> {
    const now = machineTime();
    if (now - this.#countedAt < COUNT_MILLISECONDS) return;
    this.#countedAt = now;
    const { callbacks, logger, onDead } = this.#dependencies;
    const expired = await callbacks.expire(MAXIMUM_EXPIRED);
    if (expired > 0) {
      onDead(expired);
      logger.warn({ callbacks: expired }, 'callbacks were given up: their time is over');
    }
    this.count = await callbacks.count();
  }

  #begin(callback: DueCallback): void {
    const { target } = callback;
    this.#underWay.set(target, (this.#underWay.get(target) ?? 0) + 1);
    const attempt = this.#attempt(callback).finally(() => {
      this.#attempts.delete(attempt);
      const left = (this.#underWay.get(target) ?? 1) - 1;
      if (left > 0) this.#underWay.set(target, left);
      else this.#underWay.delete(target);
      this.#wake();
    });
    this.#attempts.add(attempt);
  }

  async #attempt(callback: DueCallback): Promise<void> {
    const { callbacks, logger } = this.#dependencies;
    const { id, attempt, tries, target, url, run } = callback;
    const began = performance.now();
    try {
      const answer = await this.#send(callback);
      const isStopped = this.#closing.signal.aborted && answer.error !== null;
      if (!isStopped) this.#note(callback, answer);
      const outcome: AttemptOutcome = {
        id,
        attempt,
        status: answer.status,
        error: answer.error,
        answer: answer.answer,
        milliseconds: performance.now() - began,
        retryIn: isStopped ? 0 : retryIn(answer, tries),
      };
      const state = await callbacks.finish(outcome);
      if (state !== 'dead') return;
      this.#dependencies.onDead(1);
      const receiver = receiverOf(url);
      logger.warn({ callbackId: id, runId: run.id, target: receiver, attempt }, 'a callback was given up');
    } catch (error) {
      logger.warn(
        { error, callbackId: id, runId: run.id, userId: target.split(' ', 1)[0] },
        'the outcome of a callback could not be stored; it will be sent again',
      );
    }
  }

  async #send(due: DueCallback): Promise<CallbackAnswer> {
    const callback = await this.#dependencies.callbacks.whole(due).catch((error: unknown) => {
      if (error instanceof ObjectStoreUnavailableError) return null;
      throw error;
    });
    if (callback === null) return unsent('The object store, which has the result, is not available.');
    const { secrets, fetch, brokers, timeoutMilliseconds } = this.#dependencies;
    const { id, userId, url } = callback;
    const { signal } = this.#closing;
    if (callback.kind === 'waiting' && callback.waiting === null)
      return { ...unsent('The run does not ask this any more.'), isUnwanted: true };
    if (callback.amqp !== null) return brokers.publish(callback, callbackBody(callback), signal);
    const found = await secrets.find(userId, callback.secrets).catch((error: unknown) => {
      if (error instanceof EncryptionError) return null;
      throw error;
    });
    if (found === null)
      return unsent(`The signing secret cannot be decrypted: ${callback.secrets.join(', ')}.`);
    const body = callbackBody(callback);
    const headers = callbackHeaders(id, body, found, machineTime());
    if (headers['webhook-signature'] === '')
      return unsent(`No variable with a signing secret was found: ${callback.secrets.join(', ')}.`);
    return sendCallback(fetch, { url, headers, body }, { signal, timeoutMilliseconds });
  }

  #note({ id, userId, target, url, run }: DueCallback, { error, status, isUnsent }: CallbackAnswer): void {
    const { logger, onAttempt } = this.#dependencies;
    onAttempt(error === null ? 'delivered' : 'failed');
    if (isUnsent) return;
    // An answer that is about this delivery alone says nothing about others.
    const isTargetAtFault = error !== null && (status === null || status >= 500 || status === 429);
    if (!isTargetAtFault) return this.#circuits.succeeded(target);
    if (!this.#circuits.failed(target, machineTime())) return;
    const receiver = receiverOf(url);
    const fields = { callbackId: id, userId, flowId: run.flowId, target: receiver, reason: error };
    logger.warn(fields, 'callbacks to a receiver pause: it failed five times in a row');
  }
}

/** Returns the user whose turn came last: the largest id before or at the one that had the turn, else the largest of all. */
function lastInTurn(due: readonly DueCallback[], after = ''): string | undefined {
  const users = due.map(({ userId }) => userId).sort();
  return users.findLast((userId) => userId <= after) ?? users.at(-1);
}

function unsent(error: string): CallbackAnswer {
  return { status: null, error, answer: null, isUnwanted: false, isUnsent: true, retryAfter: null };
}

/** Returns what lines of the log name: the origin of an address, or the connection of an exchange. */
function receiverOf(url: string): string {
  return url.startsWith('amqp:') ? url : new URL(url).origin;
}

/** Pauses double from 5 s to 6 h; jitter shortens each by up to half. */
function retryIn(answer: CallbackAnswer, tries: number): AttemptOutcome['retryIn'] {
  if (answer.error === null) return null;
  if (answer.isUnwanted) return 'never';
  const delay = backoff({
    initialMilliseconds: FIRST_BACKOFF_MILLISECONDS,
    maximumMilliseconds: MAXIMUM_BACKOFF_MILLISECONDS,
    attempt: tries - 1,
  });
  return Math.max(delay, answer.retryAfter ?? 0);
}
