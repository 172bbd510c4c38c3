import { RunError } from '@millrace/flow';
import type { MessageUsage, TextEnding, TextStream } from '@millrace/flow';

/**
 * Text that is still being made, which any number of readers may read from its beginning: one reader may show it as it
 * comes while another waits for the whole. Keeps what it has read, up to a bound.
 */
export class SharedText implements TextStream {
  readonly #stream: TextStream;
  readonly #source: AsyncIterator<string>;
  readonly #maximumCharacters: number;
  readonly #chunks: string[] = [];
  #characters = 0;
  #ended = false;
  #failure: { readonly error: unknown } | null = null;
  #pulling: Promise<void> | null = null;

  constructor(stream: TextStream, maximumCharacters: number) {
    this.#stream = stream;
    this.#source = stream[Symbol.asyncIterator]();
    this.#maximumCharacters = maximumCharacters;
  }

  /** What making the text cost, once it is whole and if its source tells. */
  get usage(): MessageUsage | null {
    return this.#stream.usage ?? null;
  }

  /** How its message ends up, once the text is whole and if that is not just the text. */
  get ending(): TextEnding | null {
    return this.#stream.ending ?? null;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string, void, undefined> {
    for (let position = 0; ; position += 1) {
      while (position >= this.#chunks.length && !this.#ended) await this.#pull();
      const chunk = this.#chunks[position];
      if (chunk === undefined) {
        if (this.#failure !== null) throw this.#failure.error;
        return;
      }
      yield chunk;
    }
  }

  /** The whole text, once it is there. */
  async text(): Promise<string> {
    while (!this.#ended) await this.#pull();
    if (this.#failure !== null) throw this.#failure.error;
    return this.#chunks.join('');
  }

  /** Ends a text that is not whole: its readers get the error, its source is told. Safe to call at any time. */
  close(error: Error): void {
    if (this.#ended) return;
    this.#failure = { error };
    this.#ended = true;
    // What the source says while it closes concerns nobody any more.
    Promise.resolve(this.#source.return?.()).catch(() => undefined);
  }

  /** Reads one chunk more; readers that ask at the same time share one read. */
  #pull(): Promise<void> {
    this.#pulling ??= this.#read().finally(() => {
      this.#pulling = null;
    });
    return this.#pulling;
  }

  async #read(): Promise<void> {
    try {
      const next = await this.#source.next();
      if (next.done === true) {
        this.#ended = true;
        return;
      }
      this.#characters += next.value.length;
      if (this.#characters > this.#maximumCharacters) {
        throw new RunError('output_too_large', 'A streamed text is larger than the output of a run may be.');
      }
      if (next.value !== '') this.#chunks.push(next.value);
    } catch (error) {
      this.#failure = { error };
      this.#ended = true;
      Promise.resolve(this.#source.return?.()).catch(() => undefined);
    }
  }
}
