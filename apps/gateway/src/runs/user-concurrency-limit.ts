import { RunError } from './run-error';

/** Limits the number of waiting callers of each user, so that one user cannot take all the capacity of a gateway. */
export class UserConcurrencyLimit {
  readonly #maximum: number;
  readonly #maximumHere: number;
  readonly #countByUser = new Map<string, number>();

  /** `maximum` is the limit of one user over all processes together. Each process grants its part, and at least one. */
  constructor(maximum: number, processes: number) {
    this.#maximum = maximum;
    this.#maximumHere = Math.max(1, Math.floor(maximum / processes));
  }

  /** Counts one more waiting caller of the user until `leave`. Throws too_many_callers when the limit is reached. */
  enter(userId: string): void {
    const count = this.#countByUser.get(userId) ?? 0;
    if (count >= this.#maximumHere) {
      const suffix =
        this.#maximumHere === this.#maximum ? '' : `, its part of ${this.#maximum} for all gateways`;
      const text = `Too many concurrent runs: this gateway allows ${this.#maximumHere} per user${suffix}.`;
      throw new RunError('too_many_callers', text, { retryAfterSeconds: 1 });
    }
    this.#countByUser.set(userId, count + 1);
  }

  leave(userId: string): void {
    const count = this.#countByUser.get(userId) ?? 0;
    if (count > 1) this.#countByUser.set(userId, count - 1);
    else this.#countByUser.delete(userId);
  }
}
