import { RequestError } from '../http/request-error';

/** How many callers of each user wait at this gateway: those of one are not to take the places of all. */
export class WaitingCallers {
  readonly #maximum: number;
  readonly #part: number;
  readonly #ofUsers = new Map<string, number>();

  /** `maximum` is how many of one user may wait at so many processes together; each lets its part wait, and at least one. */
  constructor(maximum: number, processes: number) {
    this.#maximum = maximum;
    this.#part = Math.max(1, Math.floor(maximum / processes));
  }

  /** One more of the user's waits, until `leave`. Throws too_many_callers when as many wait as may. */
  enter(userId: string): void {
    const count = this.#ofUsers.get(userId) ?? 0;
    if (count >= this.#part) {
      const rule =
        this.#part === this.#maximum
          ? 'as many as may'
          : `its part of the ${this.#maximum} that may at all gateways`;
      const text = `${this.#part} callers of this user wait for runs at this gateway, which is ${rule}.`;
      throw new RequestError('too_many_callers', text, { headers: { 'retry-after': '1' } });
    }
    this.#ofUsers.set(userId, count + 1);
  }

  leave(userId: string): void {
    const count = this.#ofUsers.get(userId) ?? 0;
    if (count > 1) this.#ofUsers.set(userId, count - 1);
    else this.#ofUsers.delete(userId);
  }
}
