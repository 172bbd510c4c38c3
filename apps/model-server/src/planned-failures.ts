import type { Directives } from './directives';
import { ModelServerError } from './model-server-error';

const MAXIMUM_IDS = 1000;

/** Applies the directives `status` and `hang`, and counts the failures of each id for `times`. */
export class PlannedFailures {
  readonly #failures = new Map<string, number>();

  /**
   * Returns whether the directives require that this request gets no answer. Throws ModelServerError when they require that
   * it is refused.
   */
  hangs({ hang, status, times, id }: Directives): boolean {
    if (!hang && status === undefined) return false;
    if (times !== undefined && !this.#isAmongFirst(times, id)) return false;
    if (status === undefined) return true;
    throw new ModelServerError(status, `Refused with ${status}, as requested by a directive.`);
  }

  #isAmongFirst(times: number, id: string): boolean {
    const failed = this.#failures.get(id) ?? 0;
    if (failed >= times) return false;
    this.#failures.set(id, failed + 1);
    const [oldest] = this.#failures.keys();
    if (this.#failures.size > MAXIMUM_IDS && oldest !== undefined) this.#failures.delete(oldest);
    return true;
  }
}
