import { RequestError } from '../http/request-error';

const LONGEST_WAIT_MILLISECONDS = 100;
const MAXIMUM_FOLLOWERS = 2_000;

type Nudge = () => void;

/** Who follows which runs here, so that they look at once when something came; otherwise they look now and then. */
export class FollowedRuns {
  readonly #nudges = new Map<string, Set<Nudge>>();
  #followers = 0;
  #isClosed = false;

  /** True when followers are to take leave: another gateway goes on where this one stopped. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Counts a follower in until the returned function is called. Throws too_many_runs. */
  enter(): () => void {
    if (this.#followers >= MAXIMUM_FOLLOWERS) {
      throw new RequestError('too_many_runs', 'Too many runs are followed here. Try again soon.', {
        headers: { 'retry-after': '1' },
      });
    }
    this.#followers += 1;
    return () => {
      this.#followers -= 1;
    };
  }

  /** Something of this run came. */
  nudge(runId: string): void {
    for (const nudge of this.#nudges.get(runId) ?? []) nudge();
  }

  /** Resolves when something of this run came here, or 100 ms later: it may have come to another gateway. */
  next(runId: string): Promise<void> {
    return new Promise((resolve) => {
      const nudges = this.#nudges.get(runId) ?? new Set();
      this.#nudges.set(runId, nudges);
      const end = () => {
        clearTimeout(timer);
        nudges.delete(end);
        if (nudges.size === 0 && this.#nudges.get(runId) === nudges) this.#nudges.delete(runId);
        resolve();
      };
      nudges.add(end);
      const timer = setTimeout(end, LONGEST_WAIT_MILLISECONDS);
    });
  }

  close(): void {
    this.#isClosed = true;
    for (const runId of [...this.#nudges.keys()]) this.nudge(runId);
  }
}
