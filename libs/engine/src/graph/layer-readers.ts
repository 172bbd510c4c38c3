import { RunSuspension } from '@millrace/flow';
import { runEndedError } from '../run/run-ended-error';

interface LayerReader {
  readonly layer: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** Returns whether a layer before the given one can still store a message; `suspended`: after a person has answered. */
type IsOpen = (layer: number) => 'yes' | 'suspended' | 'no';

/** Vertices of a scope that wait until no earlier layer can store a message. */
export class LayerReaders {
  readonly #isOpen: IsOpen;
  #waiting: LayerReader[] = [];

  constructor(isOpen: IsOpen) {
    this.#isOpen = isOpen;
  }

  /**
   * Resolves when the layers before this one can store no more messages; null if that is already so. Rejects when the
   * run ends, and with a RunSuspension when only suspended vertices could store one.
   */
  wait(layer: number): Promise<void> | null {
    if (this.#isOpen(layer) === 'no') return null;
    const waiting = new Promise<void>((resolve, reject) => this.#waiting.push({ layer, resolve, reject }));
    this.recheck();
    return waiting;
  }

  /** Settles waiting readers; call it when a vertex has ended or is suspended. */
  recheck(): void {
    if (this.#waiting.length === 0) return;
    const readers = this.#waiting.map((reader) => ({ reader, open: this.#isOpen(reader.layer) }));
    this.#waiting = readers.filter(({ open }) => open === 'yes').map(({ reader }) => reader);
    for (const { reader, open } of readers) {
      if (open === 'no') reader.resolve();
      else if (open === 'suspended') reader.reject(new RunSuspension([]));
    }
  }

  /** Rejects the waiting readers; call it when the scope has ended. */
  close(): void {
    for (const { reject } of this.#waiting.splice(0)) reject(runEndedError);
  }
}
