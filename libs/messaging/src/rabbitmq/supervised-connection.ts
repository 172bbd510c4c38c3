import { backoff } from '@millrace/service';
import type { Logger } from '@millrace/service';
import type { ChannelModel } from 'amqplib';
import { setTimeout as pause } from 'node:timers/promises';
import { BusUnavailableError } from '../message-bus-errors';
import { settleWithin } from '../settle-within';
import { hostOf, type BrokerAddresses } from './broker-addresses';
import { LivenessProbe } from './liveness-probe';
import { dial, type DialledConnection, type DialOptions } from './dial';

const MAXIMUM_RECONNECT_DELAY_MILLISECONDS = 2_000;
const CLOSE_TIMEOUT_MILLISECONDS = 2_000;
/** Time for the last frames to leave a socket before it is cut. */
const CUT_DELAY_MILLISECONDS = 1_000;

/** Callbacks of the connection's user. */
export interface ConnectionCallbacks {
  /** Sets up the channels on the connection. A rejection drops the connection and reconnects. */
  connected(model: ChannelModel): Promise<void>;
  disconnected(): void;
  /** Called when a try to reconnect has failed at every address; further tries follow. */
  unreachable(): void;
  blocked?(isBlocked: boolean): void;
}

/**
 * A connection that reconnects, to the same node of the broker or to another. amqplib's recovery is not used: it does
 * not report which step of a set-up failed, cannot cut an unresponsive socket, and restores no channels, which is most
 * of the work.
 */
export class SupervisedConnection {
  readonly #addresses: BrokerAddresses;
  readonly #options: DialOptions;
  readonly #callbacks: ConnectionCallbacks;
  readonly #logger: Logger;
  readonly #closed = new AbortController();
  #live: DialledConnection | null = null;
  #probe: LivenessProbe | null = null;
  #isConnecting = false;
  /** The node of the last try, for the log. */
  #node = '';

  constructor(
    { addresses, ...options }: DialOptions & { readonly addresses: BrokerAddresses },
    callbacks: ConnectionCallbacks,
    logger: Logger,
  ) {
    this.#addresses = addresses;
    this.#options = options;
    this.#callbacks = callbacks;
    this.#logger = logger.child({ connection: options.connectionName });
  }

  /** Null while there is no connection. */
  get model(): ChannelModel | null {
    return this.#live?.model ?? null;
  }

  /** Resolves when first connected; rejects with the last error as the cause. Each try covers every address once. */
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
        this.#logger.warn(
          { error, node: this.#node, attempt: attempt + 1, tries },
          'no connection to RabbitMQ yet',
        );
      }
    }
    this.#closed.abort();
    throw new BusUnavailableError(`no connection to RabbitMQ after ${tries} tries`, { cause: failure });
  }

  /** Connects, or keeps trying until it is closed; resolves to the first failure, or null. */
  async openWithRetry(): Promise<unknown> {
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

  /** Drops the connection without a closing handshake, and reconnects. */
  cut(): void {
    this.#live?.destroy();
  }

  async close(): Promise<void> {
    if (this.#closed.signal.aborted) return;
    this.#closed.abort();
    const live = this.#live;
    this.#live = null;
    this.#probe?.stop();
    if (!live) return;
    try {
      await settleWithin(live.model.close(), CLOSE_TIMEOUT_MILLISECONDS, 'closing the connection');
    } catch (error) {
      this.#logger.warn({ error }, 'the connection to RabbitMQ did not close cleanly');
    } finally {
      live.destroy();
    }
  }

  async #establish(): Promise<void> {
    const dialled = await this.#dial();
    if (this.#closed.signal.aborted) {
      dialled.destroy();
      throw new BusUnavailableError('closed while connecting');
    }
    this.#live = dialled;
    this.#watch(dialled);
    try {
      await this.#callbacks.connected(dialled.model);
      if (this.#live !== dialled) throw new BusUnavailableError('the connection was lost during its set-up');
      this.#startProbe(dialled);
    } catch (error) {
      if (this.#live === dialled) this.#live = null;
      dialled.destroy();
      throw error;
    }
  }

  async #dial(): Promise<DialledConnection> {
    const url = this.#addresses.next;
    this.#node = hostOf(url);
    try {
      return await dial(url, this.#options);
    } catch (error) {
      this.#addresses.failed(url);
      throw error;
    }
  }

  /** Only with several addresses: with one there is no other node to switch to. */
  #startProbe(dialled: DialledConnection): void {
    if (this.#addresses.count === 1) return;
    this.#probe = new LivenessProbe(dialled.model, () => {
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
      this.#logger.info({}, 'RabbitMQ accepts messages again');
      this.#blocked(dialled, false);
    });
  }

  #blocked(dialled: DialledConnection, isBlocked: boolean): void {
    if (this.#live !== dialled) return;
    if (this.#probe) this.#probe.isPaused = isBlocked;
    this.#callbacks.blocked?.(isBlocked);
  }

  #lost(dialled: DialledConnection, error: Error | undefined): void {
    setTimeout(() => dialled.destroy(), CUT_DELAY_MILLISECONDS).unref();
    if (this.#live !== dialled) return;
    this.#live = null;
    this.#probe?.stop();
    this.#addresses.failed(dialled.url);
    this.#logger.warn({ error, node: hostOf(dialled.url) }, 'lost the connection to RabbitMQ');
    this.#callbacks.disconnected();
    void this.#reconnect();
  }

  /** Retries until it is connected or closed. */
  async #reconnect(): Promise<void> {
    if (this.#isConnecting) return;
    this.#isConnecting = true;
    for (let attempt = 0; this.#live === null && !this.#closed.signal.aborted; attempt += 1) {
      try {
        await pause(this.#delay(attempt), undefined, { signal: this.#closed.signal });
        await this.#establish();
        this.#logger.info({ node: this.#node, attempt: attempt + 1 }, 'connected to RabbitMQ again');
      } catch (error) {
        if (this.#closed.signal.aborted) break;
        this.#logger.warn(
          { error, node: this.#node, attempt: attempt + 1 },
          'no connection to RabbitMQ yet; will retry',
        );
        if ((attempt + 1) % this.#addresses.count === 0) this.#callbacks.unreachable();
      }
    }
    this.#isConnecting = false;
  }

  /** The delay grows after all addresses have been tried. */
  #delay(attempt: number): number {
    return backoff({
      initialMilliseconds: 100,
      maximumMilliseconds: MAXIMUM_RECONNECT_DELAY_MILLISECONDS,
      attempt: Math.floor(attempt / this.#addresses.count),
    });
  }
}
