import { HttpError } from '@millrace/http';
import { readLiveRuns, readRunNames, readRunSummaries } from '@millrace/runs';
import type { LiveRuns as LiveMarks, RequestSeal, RunMark, RunRecord } from '@millrace/runs';
import type { Database } from '@millrace/database';
import type { Counter, Logger } from '@millrace/service';
import { runSummary } from '../run-views/run-summary';

const POLL_MILLISECONDS = 1_000;
const MAXIMUM_POLL_MILLISECONDS = 15_000;
/** While more runs begin than a poll reads, the top of a list is another one after each poll: fewer of them are as useful. */
const GAP_POLL_MILLISECONDS = 3_000;
const LIMITS = { newest: 200, unfinished: 1_000 };
/** A poll that takes long is repeated later, so that polling takes at most this part of the time. */
const MAXIMUM_SHARE = 1 / 50;
/** While more runs begin than a poll reads, readers read their lists again this often. */
const RESET_MILLISECONDS = 30_000;
/** How many runs readers get of a poll that missed some: enough for the top of a list. */
const RUNS_BESIDE_A_GAP = 50;
const MAXIMUM_LISTENERS = 1_000;

/** A run after a change, and the event about it, which is made once for all listeners. */
export interface ChangedRun {
  readonly run: RunRecord;
  readonly event: string;
}

/** Receives the changes of runs. */
export interface RunListener {
  /** Runs were accepted, changed their state or ended. */
  changed(runs: readonly ChangedRun[]): void;
  /** Changes were missed: the reader has to read its list again. */
  reset(): void;
  /** Ends the listener because this gateway stops. */
  end(): void;
}

export interface LiveRunsOptions {
  readonly database: Pick<Database, 'query'>;
  readonly seal: RequestSeal;
  readonly logger: Logger;
  /** Counts polls that failed. */
  readonly failures: Counter;
}

/**
 * Notifies listeners of the changes of all runs. While there is a listener, one statement a second for the whole process
 * compares the newest runs and those that have not ended with what it found before; a second one reads the changed runs.
 * While more runs begin than a poll reads, it polls every three seconds.
 * Without a listener it does nothing.
 */
export class LiveRuns {
  readonly #options: LiveRunsOptions;
  readonly #listeners = new Set<RunListener>();
  #known: ReadonlyMap<string, RunMark> | null = null;
  #newestId: string | null = null;
  #timer: NodeJS.Timeout | undefined;
  #first: Promise<void> | null = null;
  #failures = 0;
  #isClosed = false;
  #hasUnannouncedGap = false;
  #nextResetAt = 0;

  constructor(options: LiveRunsOptions) {
    this.#options = options;
  }

  /**
   * Adds a listener; it receives the changes after the returned promise has resolved to the function that removes it.
   * Rejects with too_many_runs, shutting_down and the database's errors.
   */
  async listen(listener: RunListener): Promise<() => void> {
    const headers = { 'retry-after': '1' };
    if (this.#isClosed) throw new HttpError('shutting_down', 'The gateway is shutting down.', { headers });
    if (this.#listeners.size >= MAXIMUM_LISTENERS)
      throw new HttpError('too_many_runs', 'Too many readers of live runs at this gateway.', { headers });
    this.#listeners.add(listener);
    const leave = () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#stop();
    };
    try {
      await (this.#first ??= this.#begin());
    } catch (error) {
      leave();
      throw error;
    }
    return leave;
  }

  close(): void {
    this.#isClosed = true;
    for (const listener of this.#listeners) listener.end();
    this.#stop();
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#first = null;
    this.#known = null;
  }

  async #begin(): Promise<void> {
    try {
      this.#remember(await readLiveRuns(this.#options.database, LIMITS));
    } catch (error) {
      this.#first = null;
      throw error;
    }
    this.#plan(POLL_MILLISECONDS);
  }

  #plan(milliseconds: number): void {
    clearTimeout(this.#timer);
    if (this.#isClosed || this.#listeners.size === 0) return;
    this.#timer = setTimeout(() => void this.#poll(), milliseconds);
    this.#timer.unref();
  }

  async #poll(): Promise<void> {
    const started = performance.now();
    let shortest = POLL_MILLISECONDS;
    try {
      if (await this.#compare()) shortest = GAP_POLL_MILLISECONDS;
      this.#failures = 0;
    } catch (error) {
      this.#failures += 1;
      this.#options.failures.add(1);
      this.#options.logger.warn({ error }, 'changes of runs could not be read; it will be retried');
    }
    const pause = Math.max(shortest, (performance.now() - started) / MAXIMUM_SHARE);
    this.#plan(Math.min(pause * 2 ** this.#failures, MAXIMUM_POLL_MILLISECONDS));
  }

  /** Resolves to whether runs were missed. */
  async #compare(): Promise<boolean> {
    const { database, seal } = this.#options;
    const known = this.#known;
    const marks = await readLiveRuns(database, LIMITS);
    if (known === null) return false;
    const hasGap = this.#missedRuns(marks);
    const seen = new Map([...marks.newest, ...marks.unfinished].map((mark) => [mark.id, mark]));
    const changed = [...seen.values()].filter((mark) => isChanged(known.get(mark.id), mark));
    // Runs that were unfinished and are in neither part have ended, or are behind others now.
    const left = [...known.values()].filter((mark) => !seen.has(mark.id) && isUnfinished(mark));
    const ids = [...changed, ...left].map(({ id }) => id);
    const shown = hasGap ? ids.slice(0, RUNS_BESIDE_A_GAP) : ids;
    const runs = await readRunSummaries({ database, seal }, shown);
    const announced = runs.filter((run) => isChanged(known.get(run.id), run));
    const names = await readRunNames(
      database,
      announced.map(({ id }) => id),
    );
    if (this.#known !== known) return false;
    this.#remember(marks);
    const events = announced.map((run) => ({
      run,
      event: `event: run\ndata: ${JSON.stringify(runSummary(run, names.get(run.id)))}\n\n`,
    }));
    if (events.length > 0) for (const listener of this.#listeners) listener.changed(events);
    if (hasGap || this.#hasUnannouncedGap) this.#announceGap();
    return hasGap;
  }

  /** Requests that all listeners read their lists again, at most once in a while. */
  #announceGap(): void {
    this.#hasUnannouncedGap = performance.now() < this.#nextResetAt;
    if (this.#hasUnannouncedGap) return;
    this.#nextResetAt = performance.now() + RESET_MILLISECONDS;
    for (const listener of this.#listeners) listener.reset();
  }

  /** Whether more runs came since the last poll than are read at a time. */
  #missedRuns({ newest }: LiveMarks): boolean {
    if (newest.length < LIMITS.newest || this.#newestId === null) return false;
    return !newest.some(({ id }) => id <= (this.#newestId ?? ''));
  }

  #remember({ newest, unfinished }: LiveMarks): void {
    this.#known = new Map([...newest, ...unfinished].map((mark) => [mark.id, mark]));
    this.#newestId = newest[0]?.id ?? null;
  }
}

function isChanged(before: RunMark | undefined, { status, attempt }: RunMark): boolean {
  return before?.status !== status || before.attempt !== attempt;
}

function isUnfinished({ status }: RunMark): boolean {
  return status === 'accepted' || status === 'queued' || status === 'running';
}
