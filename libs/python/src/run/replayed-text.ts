import { isDict } from '@millrace/flow';
import type { MessageUsage, PythonValue, TextStream } from '@millrace/python-text';
import { decodeUsage } from '../values/decode-message';

/**
 * A text that a component in Python produces. Its parts are requested when the first reader asks, and kept: a component
 * can return the same text in several outputs, each of which has its own reader.
 */
export class ReplayedText implements TextStream {
  readonly #start: () => AsyncGenerator<PythonValue, PythonValue, undefined>;
  readonly #parts: string[] = [];
  #source: AsyncGenerator<PythonValue, PythonValue, undefined> | null = null;
  #reading: Promise<void> | null = null;
  #isComplete = false;
  #failure: { readonly error: unknown } | null = null;
  #usage: MessageUsage | null = null;

  /** `start` yields the parts and returns the token usage, or null. */
  constructor(start: () => AsyncGenerator<PythonValue, PythonValue, undefined>) {
    this.#start = start;
  }

  get usage(): MessageUsage | null {
    return this.#usage;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string, void, undefined> {
    for (let position = 0; ; position += 1) {
      while (position >= this.#parts.length) {
        if (this.#failure !== null) throw this.#failure.error;
        if (this.#isComplete) return;
        await this.#advance();
      }
      yield this.#parts[position] ?? '';
    }
  }

  #advance(): Promise<void> {
    this.#reading ??= this.#read()
      .catch((error: unknown) => void (this.#failure = { error }))
      .finally(() => (this.#reading = null));
    return this.#reading;
  }

  async #read(): Promise<void> {
    this.#source ??= this.#start();
    const next = await this.#source.next();
    if (next.done !== true) {
      if (typeof next.value === 'string') this.#parts.push(next.value);
      return;
    }
    this.#isComplete = true;
    this.#usage = isDict(next.value) ? decodeUsage(next.value) : null;
  }
}
