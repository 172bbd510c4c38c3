import type { MessageUsage, TextEnding, TextStream } from '@millrace/python-text';

/** Work that produces text: it yields the text in pieces and returns an outcome. */
export type TextWork<Outcome> = AsyncGenerator<string, Outcome, undefined>;

/** A started text stream, or the outcome of work that ended without text. */
export type StartedText<Outcome> =
  { readonly stream: TextStream } | { readonly stream: null; readonly outcome: Outcome };

/**
 * Starts work and resolves when its first text arrives, so that earlier failures reject here. The usage, and what
 * `endingOf` returns for the outcome, are available once the text is read to its end.
 */
export async function startText<Outcome extends { readonly usage: MessageUsage | null }>(
  work: TextWork<Outcome>,
  endingOf: (outcome: Outcome) => TextEnding | null = () => null,
): Promise<StartedText<Outcome>> {
  const first = await work.next();
  return first.done === true
    ? { stream: null, outcome: first.value }
    : { stream: new StartedStream(first.value, work, endingOf) };
}

/** Lets work fail with the errors of a component, also once its text streams. */
export async function* failingWith<Outcome>(
  work: TextWork<Outcome>,
  errorOf: (error: unknown) => unknown,
): TextWork<Outcome> {
  try {
    return yield* work;
  } catch (error) {
    throw errorOf(error);
  }
}

/** Runs the work to its end and returns its outcome; discards the text. */
export async function finishText<Outcome>(work: TextWork<Outcome>): Promise<Outcome> {
  for (;;) {
    const next = await work.next();
    if (next.done === true) return next.value;
  }
}

/** Can be read once. */
class StartedStream<Outcome extends { readonly usage: MessageUsage | null }> implements TextStream {
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
    // Not `for await`, which would lose the outcome. The signal of the run stops the work when a reader stops early.
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
