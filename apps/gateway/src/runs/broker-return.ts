import type { BusState, MessageBus } from '@millrace/messaging';

/** Callers are told of a broker that is away within a second. */
const PATIENCE_MILLISECONDS = 800;

/**
 * Waits for a broker whose connection was lost a moment ago: most come back before anybody has to hear of it. One that
 * refuses connections, or blocks publishers, is not waited for.
 */
export class BrokerReturn {
  readonly #bus: Pick<MessageBus, 'state' | 'onStateChange'>;
  #returning: Promise<boolean> | null = null;

  constructor(bus: Pick<MessageBus, 'state' | 'onStateChange'>) {
    this.#bus = bus;
  }

  /** Resolves to whether the broker takes messages. Never rejects; all who wait share one wait. */
  isBack(): Promise<boolean> {
    if (this.#bus.state !== 'disconnected') return Promise.resolve(this.#bus.state === 'connected');
    this.#returning ??= this.#wait().finally(() => {
      this.#returning = null;
    });
    return this.#returning;
  }

  #wait(): Promise<boolean> {
    return new Promise((resolve) => {
      const end = (state: BusState): void => {
        clearTimeout(timer);
        stop();
        resolve(state === 'connected');
      };
      const timer = setTimeout(() => end('disconnected'), PATIENCE_MILLISECONDS);
      const stop = this.#bus.onStateChange(end);
    });
  }
}
