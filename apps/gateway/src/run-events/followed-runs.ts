import { SharedPlaces } from '@millrace/service';
import { RunError } from '../runs/run-error';

const MAXIMUM_WAIT_MILLISECONDS = 100;
const MAXIMUM_FOLLOWERS = 2_000;
const MAXIMUM_FOLLOWERS_OF_USER = 500;

type Wake = () => void;

/** Wakes the followers of a run when a frame of it arrives at this gateway. Otherwise they poll the log. */
export class FollowedRuns {
  readonly #wakes = new Map<string, Set<Wake>>();
  readonly #places = new SharedPlaces({ maximum: MAXIMUM_FOLLOWERS });
  #isClosed = false;

  /** True when followers must end their streams, which can be resumed at another gateway. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Registers a follower of a user until the returned function is called. Throws too_many_runs. */
  addFollower(userId: string): () => void {
    const leave = this.#places.take({ [userId]: MAXIMUM_FOLLOWERS_OF_USER });
    if (leave === null) {
      const text = 'Too many followers of runs at this gateway. Try again soon.';
      throw new RunError('too_many_runs', text, { retryAfterSeconds: 1 });
    }
    return leave;
  }

  /** Wakes the followers of a run. */
  wake(runId: string): void {
    for (const wake of this.#wakes.get(runId) ?? []) wake();
  }

  /** Resolves when a frame of this run arrives here, or after 100 ms, since it can arrive at another gateway. */
  waitForFrame(runId: string): Promise<void> {
    return new Promise((resolve) => {
      const wakes = this.#wakes.get(runId) ?? new Set();
      this.#wakes.set(runId, wakes);
      const end = () => {
        clearTimeout(timer);
        wakes.delete(end);
        if (wakes.size === 0 && this.#wakes.get(runId) === wakes) this.#wakes.delete(runId);
        resolve();
      };
      wakes.add(end);
      const timer = setTimeout(end, MAXIMUM_WAIT_MILLISECONDS);
    });
  }

  close(): void {
    this.#isClosed = true;
    for (const runId of [...this.#wakes.keys()]) this.wake(runId);
  }
}
