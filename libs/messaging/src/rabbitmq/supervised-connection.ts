import type { Logger } from '@millrace/service';
import type { ChannelModel } from 'amqplib';
import { setTimeout as pause } from 'node:timers/promises';
import { backoffMilliseconds } from '../backoff';
import { BusUnavailableError } from '../message-bus-errors';
import { settleWithin } from '../settle-within';
import { dial, type DialledConnection, type DialOptions } from './dial';

const LONGEST_RECONNECT_DELAY_MILLISECONDS = 2_000;
const CLOSE_TIMEOUT_MILLISECONDS = 2_000;
/** For the last frames to leave a socket before it is cut. */
const CUT_DELAY_MILLISECONDS = 1_000;

/** What depends on the connection. */
export interface ConnectionUser {
  /** Builds what lives on the connection. A rejection gives the connection up and dials again. */
  connected(model: ChannelModel): Promise<void>;
  disconnected(): void;
  /** A try to connect again has failed; there will be more. */
  unreachable(): void;
  blocked?(isBlocked: boolean): void;
}

/**
 * A connection that comes back. amqplib's own recovery is not used: it tells nobody which of a set-up's steps failed,
 * can not cut a dead socket, and restores no channels, which is most of the work.
 */
export class SupervisedConnection {
  readonly #options: DialOptions;
  readonly #user: ConnectionUser;
  readonly #logger: Logger;
  readonly #closed = new AbortController();
  #live: DialledConnection | null = null;
  #isConnecting = false;

  constructor(options: DialOptions, user: ConnectionUser, logger: Logger) {
    this.#options = options;
    this.#user = user;
    this.#logger = logger.child({ connection: options.connectionName });
  }

  /** Null while there is no connection. */
  get model(): ChannelModel | null {
    return this.#live?.model ?? null;
  }

  /** Resolves when first connected; rejects with the last try's error as the cause. */
  async open(tries: number): Promise<void> {
    let failure: unknown;
    this.#isConnecting = true;
    for (let attempt = 0; attempt < tries; attempt += 1) {
      if (attempt > 0) await pause(backoffMilliseconds(attempt - 1, LONGEST_RECONNECT_DELAY_MILLISECONDS));
      try {
        await this.#establish();
        this.#isConnecting = false;
        return;
      } catch (error) {
        failure = error;
        this.#logger.warn({ error, attempt: attempt + 1, tries }, 'could not connect to RabbitMQ');
      }
    }
    this.#closed.abort();
    throw new BusUnavailableError(`no connection to RabbitMQ after ${tries} tries`, { cause: failure });
  }

  /** Drops the connection without a word, and connects again. */
  cut(): void {
    this.#live?.destroy();
  }

  async close(): Promise<void> {
    if (this.#closed.signal.aborted) return;
    this.#closed.abort();
    const live = this.#live;
    this.#live = null;
    if (!live) return;
    try {
      await settleWithin(live.model.close(), CLOSE_TIMEOUT_MILLISECONDS, 'closing the connection');
    } catch (error) {
      this.#logger.warn({ error }, 'the connection to RabbitMQ did not close in order');
    } finally {
      live.destroy();
    }
  }

  async #establish(): Promise<void> {
    const dialled = await dial(this.#options);
    if (this.#closed.signal.aborted) {
      dialled.destroy();
      throw new BusUnavailableError('closed while connecting');
    }
    this.#live = dialled;
    this.#watch(dialled);
    try {
      await this.#user.connected(dialled.model);
      if (this.#live !== dialled) throw new BusUnavailableError('the connection was lost at once');
    } catch (error) {
      if (this.#live === dialled) this.#live = null;
      dialled.destroy();
      throw error;
    }
  }

  #watch(dialled: DialledConnection): void {
    const { model } = dialled;
    let failure: Error | undefined;
    model.on('error', (error) => (failure = error));
    model.on('close', (error) => this.#lost(dialled, failure ?? error));
    model.on('blocked', (reason) => {
      this.#logger.warn({ reason }, 'RabbitMQ blocks publishers');
      if (this.#live === dialled) this.#user.blocked?.(true);
    });
    model.on('unblocked', () => {
      this.#logger.info({}, 'RabbitMQ takes messages again');
      if (this.#live === dialled) this.#user.blocked?.(false);
    });
  }

  #lost(dialled: DialledConnection, error: Error | undefined): void {
    setTimeout(() => dialled.destroy(), CUT_DELAY_MILLISECONDS).unref();
    if (this.#live !== dialled) return;
    this.#live = null;
    this.#logger.warn({ error }, 'lost the connection to RabbitMQ');
    this.#user.disconnected();
    void this.#reconnect();
  }

  /** Tries until it is connected or closed. */
  async #reconnect(): Promise<void> {
    if (this.#isConnecting) return;
    this.#isConnecting = true;
    for (let attempt = 0; this.#live === null && !this.#closed.signal.aborted; attempt += 1) {
      try {
        const delay = backoffMilliseconds(attempt, LONGEST_RECONNECT_DELAY_MILLISECONDS);
        await pause(delay, undefined, { signal: this.#closed.signal });
        await this.#establish();
        this.#logger.info({ attempt: attempt + 1 }, 'connected to RabbitMQ again');
      } catch (error) {
        if (this.#closed.signal.aborted) break;
        this.#logger.warn({ error, attempt: attempt + 1 }, 'could not connect to RabbitMQ; will try again');
        this.#user.unreachable();
      }
    }
    this.#isConnecting = false;
  }
}
