import type { Transactional } from '@millrace/database';
import { HttpError } from '@millrace/http';
import { readRunHistory } from '@millrace/runs';
import type { HistoryGroup, HistoryQuery } from '@millrace/runs';
import { LRUCache } from 'lru-cache';

const VALID_MILLISECONDS = 15_000;
const MAXIMUM_VALID_MILLISECONDS = 600_000;
/** Answers that took long are valid for longer, so that all counting together takes at most this part of the time. */
const MAXIMUM_SHARE = 1 / 100;
const MAXIMUM_ENTRIES = 500;
const MAXIMUM_WAITING = 20;

/** Groups of runs, and when they were counted. */
export interface MeasuredHistory {
  readonly groups: readonly HistoryGroup[];
  readonly measuredAt: Date;
}

export interface RunHistoryOptions {
  readonly database: Transactional;
  readonly clock: { now(): number };
}

/**
 * Counts runs. Equal questions share one answer, which is valid for 15 s or longer: the more time the questions of the last
 * ten minutes took, the longer. One question is counted at a time, so that runs have the other connections to the database.
 */
export class RunHistory {
  readonly #options: RunHistoryOptions;
  readonly #answers = new LRUCache<string, Promise<MeasuredHistory>>({ max: MAXIMUM_ENTRIES });
  /** How many milliseconds each question took that was counted lately. */
  readonly #durations = new LRUCache<string, number>({
    max: MAXIMUM_ENTRIES,
    ttl: MAXIMUM_VALID_MILLISECONDS,
  });
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  constructor(options: RunHistoryOptions) {
    this.#options = options;
  }

  /** Rejects with database_unavailable when many questions wait, and with the database's errors; neither is cached. */
  read(query: HistoryQuery): Promise<MeasuredHistory> {
    const key = JSON.stringify([query.userId, query.flowId, query.intervals, query.intervalSeconds]);
    const cached = this.#answers.get(key);
    if (cached) return cached;
    if (this.#waiting >= MAXIMUM_WAITING) {
      const headers = { 'retry-after': '5' };
      throw new HttpError('database_unavailable', 'Many histories are being counted. Try again soon.', {
        headers,
      });
    }
    this.#waiting += 1;
    const answer = this.#last.then(() => this.#measure(key, query)).finally(() => (this.#waiting -= 1));
    this.#last = answer.catch(() => undefined);
    this.#answers.set(key, answer);
    return answer;
  }

  async #measure(key: string, query: HistoryQuery): Promise<MeasuredHistory> {
    const { database, clock } = this.#options;
    const started = performance.now();
    try {
      const answer = { groups: await readRunHistory(database, query), measuredAt: new Date(clock.now()) };
      this.#durations.set(key, performance.now() - started);
      const all = [...this.#durations.values()].reduce((sum, milliseconds) => sum + milliseconds, 0);
      const ttl = Math.min(Math.max(VALID_MILLISECONDS, all / MAXIMUM_SHARE), MAXIMUM_VALID_MILLISECONDS);
      this.#answers.set(key, Promise.resolve(answer), { ttl });
      return answer;
    } catch (error) {
      this.#answers.delete(key);
      throw error;
    }
  }
}
