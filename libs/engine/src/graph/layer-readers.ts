import { runEndedError } from '../run/run-ended-error';

interface LayerReader {
  readonly layer: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** Vertices of a scope that wait until no earlier layer can store a message. */
export class LayerReaders {
  readonly #isOpen: (layer: number) => boolean;
  #waiting: LayerReader[] = [];

  /** `isNotFixed` returns whether a layer before the given one can still store a message. */
  constructor(isOpen: (layer: number) => boolean) {
    this.#isOpen = isOpen;
  }

  /**
   * Resolves when the layers before this one can store no more messages; null if that is already so. Rejects when the
   * run ends.
   */
  wait(layer: number): Promise<void> | null {
    if (!this.#isOpen(layer)) return null;
    return new Promise((resolve, reject) => this.#waiting.push({ layer, resolve, reject }));
  }

  /** Resolves waiting readers; call it when a vertex has ended. */
  recheck(): void {
    if (this.#waiting.length === 0) return;
    const ready = this.#waiting.filter(({ layer }) => !this.#isOpen(layer));
    this.#waiting = this.#waiting.filter((reader) => !ready.includes(reader));
    for (const { resolve } of ready) resolve();
  }

  /** Rejects the waiting readers; call it when the scope has ended. */
  close(): void {
    for (const { reject } of this.#waiting.splice(0)) reject(runEndedError);
  }
}
