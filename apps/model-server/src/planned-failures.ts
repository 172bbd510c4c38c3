import type { Directives } from './directives';
import { ModelServerError } from './model-server-error';

const MAXIMUM_IDS = 1000;

/** Refuses what asks to be refused, and counts for `times` how often each id was. */
export class PlannedFailures {
  readonly #refusals = new Map<string, number>();

  /** Throws ModelServerError when this request is to fail. */
  check({ status, times, id }: Directives): void {
    if (status === undefined) return;
    if (times !== undefined) {
      const refused = this.#refusals.get(id) ?? 0;
      if (refused >= times) return;
      this.#refusals.set(id, refused + 1);
      const [oldest] = this.#refusals.keys();
      if (this.#refusals.size > MAXIMUM_IDS && oldest !== undefined) this.#refusals.delete(oldest);
    }
    throw new ModelServerError(status, `Refused with ${status}, as the request asked.`);
  }
}
