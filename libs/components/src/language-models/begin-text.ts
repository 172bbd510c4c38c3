import type { MessageUsage, TextEnding, TextStream } from '@millrace/flow';

/** Work that makes text: it yields the text and ends with an outcome. */
export type TextWork<Outcome> = AsyncGenerator<string, Outcome, undefined>;

/** Text that has begun to come, or the outcome of work that ended without any. */
export type BegunText<Outcome> =
  { readonly stream: TextStream } | { readonly stream: null; readonly outcome: Outcome };

/**
 * Starts work and resolves as soon as its first text is there, so that what fails before belongs to whoever started it.
 * What the work cost,
 * and what `endingOf` says of its outcome, is known once the text is read to its end.
 */
export async function beginText<Outcome extends { readonly usage: MessageUsage | null }>(
  work: TextWork<Outcome>,
  endingOf: (outcome: Outcome) => TextEnding | null = () => null,
): Promise<BegunText<Outcome>> {
  const first = await work.next();
  return first.done === true
    ? { stream: null, outcome: first.value }
    : { stream: new BegunStream(first.value, work, endingOf) };
}

/** Waits for all of the work. */
export async function finishText<Outcome>(work: TextWork<Outcome>): Promise<Outcome> {
  for (;;) {
    const next = await work.next();
    if (next.done === true) return next.value;
  }
}

/** May be read once. */
class BegunStream<Outcome extends { readonly usage: MessageUsage | null }> implements TextStream {
  readonly #first: string;
  readonly #work: TextWork<Outcome>;
  readonly #endingOf: (outcome: Outcome) => TextEnding | null;
  #outcome: Outcome | null = null;

  constructor(first: string, work: TextWork<Outcome>, endingOf: (outcome: Outcome) => TextEnding | null) {
    this.#first = first;
    this.#work = work;
    this.#endingOf = endingOf;
  }

  get usage(): MessageUsage | null {
    return this.#outcome?.usage ?? null;
  }

  get ending(): TextEnding | null {
    return this.#outcome === null ? null : this.#endingOf(this.#outcome);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string, void, undefined> {
    yield this.#first;
    // Not `for await`, which would lose the outcome; a reader that stops early is told to the work by the run's signal.
    for (;;) {
      const next = await this.#work.next();
      if (next.done === true) {
        this.#outcome = next.value;
        return;
      }
      yield next.value;
    }
  }
}
