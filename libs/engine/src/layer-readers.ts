import { runIsOver } from './run-is-over';

interface LayerReader {
  readonly layer: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** The vertices of a scope that wait until no earlier layer may store a message any more. */
export class LayerReaders {
  readonly #isOpen: (layer: number) => boolean;
  #waiting: LayerReader[] = [];

  /** `isOpen` tells whether a layer before the given one may still store. */
  constructor(isOpen: (layer: number) => boolean) {
    this.#isOpen = isOpen;
  }

  /** Resolves when the layers before this one are done with storing; null when they are. Rejects when the run ends. */
  wait(layer: number): Promise<void> | null {
    if (!this.#isOpen(layer)) return null;
    return new Promise((resolve, reject) => this.#waiting.push({ layer, resolve, reject }));
  }

  /** To be called when a vertex has ended. */
  recheck(): void {
    if (this.#waiting.length === 0) return;
    const ready = this.#waiting.filter(({ layer }) => !this.#isOpen(layer));
    this.#waiting = this.#waiting.filter((reader) => !ready.includes(reader));
    for (const { resolve } of ready) resolve();
  }

  /** To be called when the scope has ended: what would still be read matters to no one. */
  close(): void {
    for (const { reject } of this.#waiting.splice(0)) reject(runIsOver);
  }
}
