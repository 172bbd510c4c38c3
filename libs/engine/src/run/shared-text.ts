import { RunError } from '@millrace/flow';
import type { PlanVertex } from '@millrace/flow';
import type { Message, MessageUsage, TextEnding, TextStream } from '@millrace/python-text';

/**
 * A streaming text that any number of readers can read from its beginning: one reader can emit the chunks while another
 * waits for the complete text. Buffers what it has read, up to a limit.
 */
export class SharedText implements TextStream {
  readonly #stream: TextStream;
  readonly #source: AsyncIterator<string>;
  readonly #maximumCharacters: number;
  /** Whose text it is, where that is known. */
  readonly vertex: PlanVertex | null;
  readonly #chunks: string[] = [];
  /** Ends when a streaming caller has all tokens; null before one is sent. */
  emission: Promise<void> | null = null;
  /** The message of a model whose text this is, once it is sent to a streaming caller. */
  spoken: Promise<Message> | null = null;
  #characters = 0;
  #ended = false;
  #failure: { readonly error: unknown } | null = null;
  #pendingRead: Promise<void> | null = null;

  constructor(stream: TextStream, maximumCharacters: number, vertex: PlanVertex | null) {
    this.#stream = stream;
    this.#source = stream[Symbol.asyncIterator]();
    this.#maximumCharacters = maximumCharacters;
    this.vertex = vertex;
  }

  /** The token usage, when the text is complete and if its source reports it. */
  get usage(): MessageUsage | null {
    return this.#stream.usage ?? null;
  }

  /** The final content of the message, when the text is complete and if it differs from the text. */
  get ending(): TextEnding | null {
    return this.#stream.ending ?? null;
  }

  /** Whether its readers got this error. */
  isBrokenBy(error: unknown): boolean {
    return this.#failure?.error === error;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string, void, undefined> {
    for (let position = 0; ; position += 1) {
      while (position >= this.#chunks.length && !this.#ended) await this.#readNext();
      const chunk = this.#chunks[position];
      if (chunk === undefined) {
        if (this.#failure !== null) throw this.#failure.error;
        return;
      }
      yield chunk;
    }
  }

  /** Resolves to the complete text. */
  async text(): Promise<string> {
    while (!this.#ended) await this.#readNext();
    if (this.#failure !== null) throw this.#failure.error;
    return this.#chunks.join('');
  }

  /** Ends an incomplete text: its readers get the error, its source is closed. Can be called at any time. */
  close(error: Error): void {
    if (this.#ended) return;
    this.#failure = { error };
    this.#ended = true;
    // Errors of the source while it closes are irrelevant.
    Promise.resolve(this.#source.return?.()).catch(() => undefined);
  }

  /** Reads one more chunk; concurrent readers share one read. */
  #readNext(): Promise<void> {
    this.#pendingRead ??= this.#read().finally(() => {
      this.#pendingRead = null;
    });
    return this.#pendingRead;
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
        throw new RunError('output_too_large', 'A streamed text exceeds the maximum output size of a run.');
      }
      if (next.value !== '') this.#chunks.push(next.value);
    } catch (error) {
      this.#failure = { error };
      this.#ended = true;
      Promise.resolve(this.#source.return?.()).catch(() => undefined);
    }
  }
}
