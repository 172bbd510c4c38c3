import type { Directives } from './directives';
import { ModelServerError } from './model-server-error';

const MAXIMUM_IDS = 1000;

/** Refuses requests with a `status` directive, and counts the refusals of each id for `times`. */
export class PlannedFailures {
  readonly #refusals = new Map<string, number>();

  /** Throws ModelServerError when the directives require this request to fail. */
  check({ status, times, id }: Directives): void {
    if (status === undefined) return;
    if (times !== undefined) {
      const refused = this.#refusals.get(id) ?? 0;
      if (refused >= times) return;
      this.#refusals.set(id, refused + 1);
      const [oldest] = this.#refusals.keys();
      if (this.#refusals.size > MAXIMUM_IDS && oldest !== undefined) this.#refusals.delete(oldest);
    }
    throw new ModelServerError(status, `Refused with ${status}, as requested by a directive.`);
  }
}
