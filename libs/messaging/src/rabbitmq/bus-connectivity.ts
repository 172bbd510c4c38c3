import type { Logger } from '@millrace/service';
import type { BusState } from '../message-bus';
import { StateListeners } from '../state-listeners';

/** What is known of the two connections of a bus. */
interface Connectivity {
  readonly canPublish: boolean;
  readonly canConsume: boolean;
  /** The last attempt to connect failed; reset when both connections are usable. */
  readonly isUnreachable: boolean;
}

/** Derives the state of a bus from its two connections, and notifies listeners of changes. */
export class BusConnectivity {
  readonly #listeners: StateListeners;
  readonly #isBlocked: () => boolean;
  #connectivity: Connectivity = { canPublish: false, canConsume: false, isUnreachable: false };
  #state: BusState = 'disconnected';

  /** `isBlocked` tells whether RabbitMQ blocks publishers. */
  constructor(logger: Logger, isBlocked: () => boolean) {
    this.#listeners = new StateListeners(logger);
    this.#isBlocked = isBlocked;
  }

  get state(): BusState {
    return this.#state;
  }

  onChange(listener: (state: BusState) => void): () => void {
    return this.#listeners.add(listener);
  }

  /** Applies a change of a connection; without one, only a block may have begun or ended. */
  update(changed: Partial<Connectivity> = {}): void {
    const next = { ...this.#connectivity, ...changed };
    const isConnected = next.canPublish && next.canConsume;
    this.#connectivity = isConnected ? { ...next, isUnreachable: false } : next;
    const ready: BusState = this.#isBlocked() ? 'blocked' : 'connected';
    const lostState: BusState = next.isUnreachable ? 'unreachable' : 'disconnected';
    this.#become(isConnected ? ready : lostState);
  }

  /** Final. */
  close(): void {
    this.#become('closed');
  }

  #become(state: BusState): void {
    if (this.#state === state || this.#state === 'closed') return;
    this.#state = state;
    this.#listeners.notify(state);
  }
}
