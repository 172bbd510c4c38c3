import type { Logger } from '@millrace/service';
import type { BusState } from './message-bus';

type StateListener = (state: BusState) => void;

/** Listeners to state changes. A listener that throws is logged and does not stop the others. */
export class StateListeners {
  readonly #listeners = new Set<StateListener>();
  readonly #logger: Logger;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  add(listener: StateListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  notify(state: BusState): void {
    for (const listener of this.#listeners) {
      try {
        listener(state);
      } catch (error) {
        this.#logger.error({ error, state }, 'a listener of the bus state failed');
      }
    }
  }
}
