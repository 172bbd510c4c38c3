import { AsyncResource } from 'node:async_hooks';
import { machineTime } from '@millrace/service';
import type { AnnouncedPools } from './executor-pools';
import { HeldRuns } from './held-runs';
import type { PendingRun } from './pending-run';

/** Jobs that are sent at once even to a pool with few slots. */
const MINIMUM_SENT = 64;
/** Executors receive jobs ahead of their slots, so that a slot that becomes free does not wait for a job. */
const SENT_PER_SLOT = 2;
/** While runs take less than this in their pool, no job waits long in an executor, also if another one starts meanwhile. */
const SHORT_MILLISECONDS = 250;

export interface FairQueueOptions {
  readonly announced: Pick<AnnouncedPools, 'slots'>;
  /** How many jobs are sent to a pool with this many slots. */
  readonly maximumSent?: ((slots: number | null) => number) | undefined;
}

type Send = () => void;

interface Pool {
  /** Runs whose job was sent and which have not ended. */
  sent: number;
  /** When the job of the run that ended last was sent; milliseconds since the epoch. */
  lastSentAt: number;
  /** The runs that are held back, by user, in the order of their turns. */
  readonly held: Map<string, HeldRuns>;
}

/**
 * Shares the executors of a pool among users. While a pool has as many runs of this gateway as its executors can take, further
 * jobs are held back here and sent user by user in turn, one for each run that ends; of a user, project by project. So a run waits behind
 * that many runs, and not behind all waiting callers of another user or project. It covers runs without a row, because the sweeper would publish stored ones.
 */
export class FairQueue {
  readonly #announced: FairQueueOptions['announced'];
  readonly #maximumSent: (slots: number | null) => number;
  readonly #pools = new Map<string, Pool>();
  #held = 0;
  #isClosed = false;

  constructor({ announced, maximumSent = defaultMaximumSent }: FairQueueOptions) {
    this.#announced = announced;
    this.#maximumSent = maximumSent;
  }

  /** Number of runs that are held back. */
  get held(): number {
    return this.#held;
  }

  /** Returns how many runs of a pool have a job that was sent and have not ended. */
  sent(pool: string): number {
    return this.#pools.get(pool)?.sent ?? 0;
  }

  /** Returns whether the run that ended last was sent a moment ago: then jobs that are sent now will soon be done. */
  isFast(pool: string): boolean {
    const lastSentAt = this.#pools.get(pool)?.lastSentAt ?? 0;
    return machineTime() - lastSentAt < SHORT_MILLISECONDS;
  }

  /**
   * Sends the job of a run now, or when it is its user's turn. Until then `run.turn` is `held`. A run that has ended is not
   * sent: its caller disconnected while its request was stored.
   */
  enter(run: PendingRun, send: Send): void {
    if (run.turn === 'ended') return;
    const { pool: name, userId, project, runId } = run.options;
    const pool = this.#pool(name);
    if (pool.sent < this.#maximumSent(this.#announced.slots(name))) {
      pool.sent += 1;
      run.noteSent();
      send();
      return;
    }
    run.turn = 'held';
    this.#held += 1;
    const ofUser = pool.held.get(userId) ?? new HeldRuns();
    pool.held.set(userId, ofUser);
    // It is sent while another run ends, whose trace is not its own.
    ofUser.add(
      project,
      runId,
      AsyncResource.bind(() => {
        run.noteSent();
        send();
      }),
    );
  }

  /** Forgets a run that has ended, and sends jobs in its place. Does nothing for a run that did not enter. */
  leave(run: PendingRun): void {
    const { pool: name } = run.options;
    const { turn } = run;
    run.turn = 'ended';
    const pool = this.#pools.get(name);
    if (pool === undefined) return;
    if (turn === 'sent') {
      pool.sent -= 1;
      // One without an answer of an executor does not show how long runs take.
      if (run.attempt > 0) pool.lastSentAt = run.sentAt;
    } else if (turn === 'held') this.#remove(pool, run);
    else return;
    this.#sendNext(name, pool);
    if (pool.sent === 0 && pool.held.size === 0) this.#pools.delete(name);
  }

  /** From now on no job is sent that was held back. */
  close(): void {
    this.#isClosed = true;
  }

  #pool(name: string): Pool {
    const pool = this.#pools.get(name) ?? { sent: 0, lastSentAt: 0, held: new Map<string, HeldRuns>() };
    this.#pools.set(name, pool);
    return pool;
  }

  #sendNext(name: string, pool: Pool): void {
    if (pool.held.size === 0 || this.#isClosed) return;
    const maximum = this.#maximumSent(this.#announced.slots(name));
    while (pool.sent < maximum) {
      const [next] = pool.held;
      if (next === undefined) return;
      const [userId, runs] = next;
      const send = runs.take();
      pool.held.delete(userId);
      if (!runs.isEmpty) pool.held.set(userId, runs);
      if (send === undefined) continue;
      this.#held -= 1;
      pool.sent += 1;
      send();
    }
  }

  #remove(pool: Pool, { options: { userId, project, runId } }: PendingRun): void {
    const runs = pool.held.get(userId);
    if (runs?.remove(project, runId) !== true) return;
    this.#held -= 1;
    if (runs.isEmpty) pool.held.delete(userId);
  }
}

/** Without announcements of executors nothing is held back. */
function defaultMaximumSent(slots: number | null): number {
  return slots === null ? Infinity : Math.max(MINIMUM_SENT, SENT_PER_SLOT * slots);
}
