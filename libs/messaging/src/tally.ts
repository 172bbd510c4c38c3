import type { Counter } from '@millrace/service';

const FLUSH_INTERVAL_MILLISECONDS = 500;

/** Counts in plain numbers and updates the metric twice a second: looking up attributes per message is too costly. */
export class Tally {
  readonly #counter: Counter;
  readonly #attribute: string;
  readonly #counts = new Map<string, number>();
  #isFlushDue = false;

  constructor(counter: Counter, attribute: string) {
    this.#counter = counter;
    this.#attribute = attribute;
  }

  count(value: string): void {
    this.#counts.set(value, (this.#counts.get(value) ?? 0) + 1);
    if (this.#isFlushDue) return;
    this.#isFlushDue = true;
    setTimeout(() => this.flush(), FLUSH_INTERVAL_MILLISECONDS).unref();
  }

  flush(): void {
    this.#isFlushDue = false;
    for (const [value, count] of this.#counts) this.#counter.add(count, { [this.#attribute]: value });
    this.#counts.clear();
  }
}
