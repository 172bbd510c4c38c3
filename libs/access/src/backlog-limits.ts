import { randomUUID } from 'node:crypto';
import { HttpError } from '@millrace/http';
import type { KeyValueStore } from '@millrace/key-value';
import type { FlowReference, RunStore, WaitingOf } from '@millrace/runs';
import type { Logger } from '@millrace/service';
import { LRUCache } from 'lru-cache';
import { limitNames } from './limit-names';

/**
 * A count is repeated this soon while the limit refuses, or after fifty times as long as it took, but no later than it is valid: a
 * database that was slow once must not keep a limit that refuses.
 */
const RECOUNT_MILLISECONDS = 250;
const PAUSES_OF_A_COUNT = 50;
/** Finds the runs of schedules, queues and replays, which take no place. */
const REFRESH_MILLISECONDS = 2_000;
/** An older count may no longer be noted: it is made again before a run is accepted. */
const VALID_MILLISECONDS = 30_000;
const NOTED_MILLISECONDS = 60_000;
/** The place of a process that dies while it stores a run is free again after this time. */
const PLACE_MILLISECONDS = 30_000;
const MAXIMUM_COUNTS = 10_000;
/** Gateways, and as many ingest services. */
const SERVICES = 2;
const SCOPES = ['user', 'project', 'flow'] as const;

export interface BacklogLimitsOptions {
  /** Counts for all processes. */
  readonly keyValue: Pick<KeyValueStore, 'admit' | 'batch' | 'settled' | 'note'>;
  readonly runs: Pick<RunStore, 'countWaiting'>;
  /** Among how many processes the room that is left is divided while the key-value store is away. */
  readonly processes: number;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
}

/** A flow whose background runs are limited. */
export type LimitedFlow = Pick<FlowReference, 'id' | 'projectId' | 'userId' | 'limits'>;

/** A limit of waiting runs that applies to a flow. */
interface AppliedLimit extends WaitingOf {
  readonly key: string;
  readonly maximum: number;
}

/** What this process knows of the runs that one limit counts. */
interface Waiting {
  /** As counted in the database. */
  count: number;
  /** By performance.now(); before the first count -Infinity. */
  countedAt: number;
  countMilliseconds: number;
  counting: Promise<void> | null;
  /** Runs that this process has stored since the count, and those that it stores. */
  stored: number;
  storing: number;
}

/**
 * Limits the background runs of users, projects and flows that no executor has begun, over all processes. Places are counted as
 * those of concurrent runs: a run takes one while it is stored. The database counts the runs that are stored, at most four times a
 * second and process where a limit refuses, else every two seconds; what is stored in between is added.
 */
export class BacklogLimits {
  readonly #options: BacklogLimitsOptions;
  readonly #waiting = new LRUCache<string, Waiting>({ maxSize: MAXIMUM_COUNTS, sizeCalculation: () => 1 });
  /** False while the key-value store does not count. */
  #isShared = true;

  constructor(options: BacklogLimitsOptions) {
    this.#options = options;
  }

  /**
   * Stores a background run unless a limit of its flow is reached; `isNew` says whether another run waits then. Rejects with
   * too_many_waiting.
   */
  store<T>(flow: LimitedFlow, store: () => Promise<T>, isNew: (outcome: T) => boolean): Promise<T> {
    const applied = flow.limits ? appliedTo(flow) : [];
    return applied.length === 0 ? store() : this.#storeWithin(applied, store, isNew);
  }

  async #storeWithin<T>(
    applied: readonly AppliedLimit[],
    store: () => Promise<T>,
    isNew: (outcome: T) => boolean,
  ): Promise<T> {
    const id = randomUUID();
    await this.#enter(applied, id);
    let isStored = false;
    try {
      const outcome = await store();
      isStored = isNew(outcome);
      return outcome;
    } finally {
      for (const { key } of applied) {
        const known = this.#known(key);
        known.storing = Math.max(0, known.storing - 1);
        if (isStored) known.stored += 1;
      }
      this.#leave(applied, id, isStored);
    }
  }

  /** Takes a place of each limit. */
  async #enter(applied: readonly AppliedLimit[], id: string): Promise<void> {
    await Promise.all(applied.map((limit) => this.#countFirst(limit)));
    // Each limit can refuse once before it is counted again.
    for (let tries = 0; ; tries += 1) {
      const refusing = await this.#refusingOf(applied, id);
      if (refusing === undefined) return;
      if (tries > applied.length || !(await this.#recount(refusing))) throw tooManyWaiting(refusing);
    }
  }

  /** Returns the limit that refuses another run, without which it takes places. */
  async #refusingOf(applied: readonly AppliedLimit[], id: string): Promise<AppliedLimit | undefined> {
    try {
      const { refused } = await this.#options.keyValue.admit({
        rates: [],
        places: { id, ttlMilliseconds: PLACE_MILLISECONDS, of: applied },
      });
      this.#noteShared(true);
      if (refused !== null) return applied[refused];
    } catch (error) {
      this.#noteShared(false, error);
      await Promise.all(applied.map((limit) => this.#recountAfter(limit, REFRESH_MILLISECONDS)));
      const refusing = applied.find((limit) => !this.#hasRoomHere(limit));
      if (refusing !== undefined) return refusing;
    }
    for (const { key } of applied) this.#known(key).storing += 1;
    return undefined;
  }

  /** Whether this process has room in its part of what the last count left. */
  #hasRoomHere({ key, maximum }: AppliedLimit): boolean {
    const { count, stored, storing } = this.#known(key);
    if (count >= maximum) return false;
    const part = (maximum - count) / (this.#options.processes * SERVICES);
    return stored + storing < Math.max(1, Math.floor(part));
  }

  #leave(applied: readonly AppliedLimit[], id: string, isStored: boolean): void {
    if (!this.#isShared) return;
    const { keyValue } = this.#options;
    const commands = applied.map(({ key }) =>
      isStored
        ? ({ command: 'settle', place: { key, id, ttlMilliseconds: NOTED_MILLISECONDS } } as const)
        : ({ command: 'release', key, ids: [id] } as const),
    );
    keyValue.batch(commands).then(
      (settled) =>
        applied.forEach(({ key }, index) => {
          // The server has lost its count.
          if (isStored && settled[index] === false) this.#known(key).countedAt = Number.NEGATIVE_INFINITY;
        }),
      (error: unknown) => this.#noteShared(false, error),
    );
  }

  #known(key: string): Waiting {
    let known = this.#waiting.get(key);
    if (known === undefined) {
      known = { count: 0, countedAt: -Infinity, countMilliseconds: 0, counting: null, stored: 0, storing: 0 };
      this.#waiting.set(key, known);
    }
    return known;
  }

  /** Waits for a count where there is none that is valid; one that is old is repeated meanwhile. */
  #countFirst(limit: AppliedLimit): Promise<unknown> | undefined {
    const age = performance.now() - this.#known(limit.key).countedAt;
    if (age > VALID_MILLISECONDS) return this.#recountAfter(limit, 0);
    if (age > REFRESH_MILLISECONDS) void this.#recountAfter(limit, REFRESH_MILLISECONDS);
    return undefined;
  }

  #recount(limit: AppliedLimit): Promise<boolean> {
    return this.#recountAfter(limit, RECOUNT_MILLISECONDS);
  }

  /** Counts unless the last count is newer than this; resolves to whether another count was made. */
  async #recountAfter(limit: AppliedLimit, milliseconds: number): Promise<boolean> {
    const known = this.#known(limit.key);
    const pause = Math.max(
      milliseconds,
      Math.min(VALID_MILLISECONDS, known.countMilliseconds * PAUSES_OF_A_COUNT),
    );
    if (known.counting === null && performance.now() - known.countedAt < pause) return false;
    known.counting ??= this.#count(limit, known).finally(() => (known.counting = null));
    await known.counting;
    return true;
  }

  async #count({ key, scope, id, userId, maximum }: AppliedLimit, known: Waiting): Promise<void> {
    const { keyValue, runs, logger } = this.#options;
    const started = performance.now();
    const storedBefore = known.stored;
    try {
      const settled = await keyValue.settled(key).catch(() => null);
      const count = await runs.countWaiting({ scope, id, userId }, maximum);
      known.count = count;
      known.stored -= storedBefore;
      if (settled !== null)
        await keyValue
          .note({ key, count, settled, ttlMilliseconds: NOTED_MILLISECONDS })
          .catch(() => undefined);
    } catch (error) {
      logger.warn({ error, scope, id, userId }, 'waiting runs could not be counted');
    }
    known.countedAt = performance.now();
    known.countMilliseconds = known.countedAt - started;
  }

  /** Writes a line for each change. A server that is back may have lost its counts. */
  #noteShared(isShared: boolean, error?: unknown): void {
    if (isShared === this.#isShared) return;
    this.#isShared = isShared;
    const { logger } = this.#options;
    for (const known of this.#waiting.values()) known.countedAt = Number.NEGATIVE_INFINITY;
    if (isShared) logger.info({}, 'limits of waiting runs are shared again');
    else logger.warn({ error }, 'limits of waiting runs are divided among processes: Redis does not count');
  }
}

function appliedTo({ id: flowId, projectId, userId, limits }: LimitedFlow): readonly AppliedLimit[] {
  const ids = { user: userId, project: projectId, flow: flowId };
  return SCOPES.flatMap((scope) => {
    const [id, maximum] = [ids[scope], limits?.[scope]?.waitingRuns];
    if (id === null || maximum === undefined) return [];
    return { scope, id, userId, maximum, key: `limit:{${userId}}:waiting:${scope}:${id}` };
  });
}

function tooManyWaiting({ scope, maximum }: AppliedLimit): HttpError {
  const text = `Too many waiting background runs: the limit of this ${limitNames[scope]} is ${maximum}.`;
  return new HttpError('too_many_waiting', text, {
    headers: {
      'retry-after': '1',
      'ratelimit-policy': `"${scope}_waiting";q=${maximum}`,
      ratelimit: `"${scope}_waiting";r=0;t=1`,
    },
  });
}
