import type { Logger } from '@millrace/service';
import type { ChannelModel } from 'amqplib';
import { setTimeout as pause } from 'node:timers/promises';
import { backoffMilliseconds } from '../backoff';
import { BusUnavailableError } from '../message-bus-errors';
import { settleWithin } from '../settle-within';
import { hostOf, type BrokerAddresses } from './broker-addresses';
import { Pulse } from './pulse';
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
  /** A try to connect again, to each address, has failed; there will be more. */
  unreachable(): void;
  blocked?(isBlocked: boolean): void;
}

/**
 * A connection that comes back, to the same node of the broker or to another. amqplib's own recovery is not used: it tells nobody which of a set-up's steps failed,
 * can not cut a dead socket, and restores no channels, which is most of the work.
 */
export class SupervisedConnection {
  readonly #addresses: BrokerAddresses;
  readonly #options: DialOptions;
  readonly #user: ConnectionUser;
  readonly #logger: Logger;
  readonly #closed = new AbortController();
  #live: DialledConnection | null = null;
  #pulse: Pulse | null = null;
  #isConnecting = false;

  constructor(
    { addresses, ...options }: DialOptions & { readonly addresses: BrokerAddresses },
    user: ConnectionUser,
    logger: Logger,
  ) {
    this.#addresses = addresses;
    this.#options = options;
    this.#user = user;
    this.#logger = logger.child({ connection: options.connectionName });
  }

  /** Null while there is no connection. */
  get model(): ChannelModel | null {
    return this.#live?.model ?? null;
  }

  /** Resolves when first connected; rejects with the last try's error as the cause. Each try is one of each address. */
  async open(triesOfEach: number): Promise<void> {
    let failure: unknown;
    this.#isConnecting = true;
    const tries = triesOfEach * this.#addresses.count;
    for (let attempt = 0; attempt < tries; attempt += 1) {
      if (attempt > 0) await pause(this.#delay(attempt - 1));
      try {
        await this.#establish();
        this.#isConnecting = false;
        return;
      } catch (error) {
        failure = error;
        this.#logger.warn({ error, attempt: attempt + 1, tries }, 'no connection to RabbitMQ yet');
      }
    }
    this.#closed.abort();
    throw new BusUnavailableError(`no connection to RabbitMQ after ${tries} tries`, { cause: failure });
  }

  /** Connects at once, or goes on trying until it is closed; resolves to what failed the first time. */
  async openPatiently(): Promise<unknown> {
    this.#isConnecting = true;
    try {
      await this.#establish();
      return null;
    } catch (error) {
      return error;
    } finally {
      this.#isConnecting = false;
      if (this.#live === null && !this.#closed.signal.aborted) void this.#reconnect();
    }
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
    this.#pulse?.stop();
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
    const dialled = await this.#dial();
    this.#logger.debug({ node: hostOf(dialled.url) }, 'connected to a node of RabbitMQ');
    if (this.#closed.signal.aborted) {
      dialled.destroy();
      throw new BusUnavailableError('closed while connecting');
    }
    this.#live = dialled;
    this.#watch(dialled);
    try {
      await this.#user.connected(dialled.model);
      if (this.#live !== dialled) throw new BusUnavailableError('the connection was lost at once');
      this.#watchPulse(dialled);
    } catch (error) {
      if (this.#live === dialled) this.#live = null;
      dialled.destroy();
      throw error;
    }
  }

  async #dial(): Promise<DialledConnection> {
    const url = this.#addresses.next;
    try {
      return await dial(url, this.#options);
    } catch (error) {
      this.#addresses.failed(url);
      this.#logger.warn({ error, node: hostOf(url) }, 'could not connect to RabbitMQ');
      throw error;
    }
  }

  /** With one address a node that says nothing is waited for: there is no other. */
  #watchPulse(dialled: DialledConnection): void {
    this.#pulse?.stop();
    this.#pulse = null;
    if (this.#addresses.count === 1) return;
    this.#pulse = new Pulse(dialled.model, () => {
      if (this.#live !== dialled) return;
      this.#logger.warn(
        { node: hostOf(dialled.url) },
        'RabbitMQ does not answer; connecting to another node',
      );
      dialled.destroy();
    });
  }

  #watch(dialled: DialledConnection): void {
    const { model } = dialled;
    let failure: Error | undefined;
    model.on('error', (error) => (failure = error));
    model.on('close', (error) => this.#lost(dialled, failure ?? error));
    model.on('blocked', (reason) => {
      this.#logger.warn({ reason }, 'RabbitMQ blocks publishers');
      this.#blocked(dialled, true);
    });
    model.on('unblocked', () => {
      this.#logger.info({}, 'RabbitMQ takes messages again');
      this.#blocked(dialled, false);
    });
  }

  #blocked(dialled: DialledConnection, isBlocked: boolean): void {
    if (this.#live !== dialled) return;
    if (this.#pulse) this.#pulse.isPaused = isBlocked;
    this.#user.blocked?.(isBlocked);
  }

  #lost(dialled: DialledConnection, error: Error | undefined): void {
    setTimeout(() => dialled.destroy(), CUT_DELAY_MILLISECONDS).unref();
    if (this.#live !== dialled) return;
    this.#live = null;
    this.#pulse?.stop();
    this.#addresses.failed(dialled.url);
    this.#logger.warn({ error, node: hostOf(dialled.url) }, 'lost the connection to RabbitMQ');
    this.#user.disconnected();
    void this.#reconnect();
  }

  /** Tries until it is connected or closed. */
  async #reconnect(): Promise<void> {
    if (this.#isConnecting) return;
    this.#isConnecting = true;
    for (let attempt = 0; this.#live === null && !this.#closed.signal.aborted; attempt += 1) {
      try {
        await pause(this.#delay(attempt), undefined, { signal: this.#closed.signal });
        await this.#establish();
        this.#logger.info({ attempt: attempt + 1 }, 'connected to RabbitMQ again');
      } catch (error) {
        if (this.#closed.signal.aborted) break;
        this.#logger.warn({ error, attempt: attempt + 1 }, 'no connection to RabbitMQ yet; will try again');
        if ((attempt + 1) % this.#addresses.count === 0) this.#user.unreachable();
      }
    }
    this.#isConnecting = false;
  }

  /** Grows when all addresses have been tried. */
  #delay(attempt: number): number {
    return backoffMilliseconds(
      Math.floor(attempt / this.#addresses.count),
      LONGEST_RECONNECT_DELAY_MILLISECONDS,
    );
  }
}
