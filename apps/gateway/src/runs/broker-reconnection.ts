import type { BusState, MessageBus } from '@millrace/messaging';

/** Callers must get the error for an unavailable broker within a second. */
const RECONNECT_WAIT_MILLISECONDS = 800;

/**
 * Waits a short time for the broker after its connection was lost, since most reconnects are fast enough to hide the
 * loss from callers. Does not wait for a broker that refuses connections or blocks publishers.
 */
export class BrokerReconnection {
  readonly #bus: Pick<MessageBus, 'state' | 'onStateChange'>;
  #reconnection: Promise<boolean> | null = null;

  constructor(bus: Pick<MessageBus, 'state' | 'onStateChange'>) {
    this.#bus = bus;
  }

  /** Resolves to whether the broker accepts messages. Never rejects. Concurrent callers share one wait. */
  waitForConnection(): Promise<boolean> {
    if (this.#bus.state !== 'disconnected') return Promise.resolve(this.#bus.state === 'connected');
    this.#reconnection ??= this.#wait().finally(() => {
      this.#reconnection = null;
    });
    return this.#reconnection;
  }

  #wait(): Promise<boolean> {
    return new Promise((resolve) => {
      const end = (state: BusState): void => {
        clearTimeout(timer);
        stop();
        resolve(state === 'connected');
      };
      const timer = setTimeout(() => end('disconnected'), RECONNECT_WAIT_MILLISECONDS);
      const stop = this.#bus.onStateChange(end);
    });
  }
}
