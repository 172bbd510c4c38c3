import type { CachePolicy } from '@millrace/contracts';
import type { Plan } from '@millrace/flow';
import type { KeyValueStore } from '@millrace/key-value';
import { withDeadline } from '@millrace/service';
import type { Logger, Metrics } from '@millrace/service';
import type { AttemptDependencies, AttemptOrder, AttemptOutcome } from '../attempt';
import { keptResult, outcomeAgain, variableDigest } from './kept-result';
import type { KeptResult } from './kept-result';
import { mayBeKept, willBeKept } from './may-be-kept';
import { digestOf, resultKey } from './result-key';
import { RunFootprint } from './run-footprint';

export interface ResultCacheBounds {
  /** How many results of one user are kept; with 0, none are. */
  readonly maximumEntries: number;
  /** Of one result with its messages, in characters. */
  readonly maximumCharacters: number;
}

export interface ResultCacheOptions
  extends
    ResultCacheBounds,
    Pick<AttemptDependencies, 'variables' | 'history' | 'environmentVariable' | 'clock'> {
  readonly keyValue: KeyValueStore;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Another version may answer otherwise. */
  readonly version: string;
}

export interface CachedOrder extends AttemptOrder {
  readonly flowVersion: number;
}

interface Asked {
  readonly key: string;
  readonly order: CachedOrder;
  readonly policy: CachePolicy;
  readonly plan: Plan;
}

type Execute = (footprint: RunFootprint) => Promise<AttemptOutcome>;

/**
 * Results that runs which are asked the same have in common. They are in the key-value store: without it, each run does
 * its work. Runs of this process that are asked the same at the same time wait for the first of them.
 */
export class ResultCache {
  readonly #options: ResultCacheOptions;
  readonly #inFlight = new Map<string, Promise<unknown>>();
  readonly #count: (outcome: string) => void;

  constructor(options: ResultCacheOptions) {
    this.#options = options;
    const lookups = options.metrics.counter(
      'millrace_result_cache_total',
      'What became of results that may be cached: hit, miss, kept, unfit, too_large, unavailable',
    );
    this.#count = (outcome) => lookups.add(1, { outcome });
  }

  /** The outcome of an earlier run if there is one, else of this one, which is kept. Rejects as `execute` does. */
  async outcome(order: CachedOrder, policy: CachePolicy, execute: Execute): Promise<AttemptOutcome> {
    const plan = await order.plan().catch(() => null);
    if (plan === null || this.#options.maximumEntries === 0) return execute(new RunFootprint());
    const asked: Asked = { key: resultKey(order, policy, this.#options.version), order, policy, plan };
    let found = await this.#find(asked);
    // From here to the run's own entry nothing may be awaited: of equal runs one is the first.
    const equal = this.#inFlight.get(asked.key);
    if (found === null && equal !== undefined && policy.maximumAgeSeconds > 0) {
      found = await this.#findAfter(equal, asked);
    }
    this.#count(found ? 'hit' : 'miss');
    return found ?? { ...(await this.#make(asked, execute)), cache: 'miss' };
  }

  /** What there is when an equal run of this process has ended. */
  async #findAfter(equal: Promise<unknown>, asked: Asked): Promise<AttemptOutcome | null> {
    const { signal, deadline } = asked.order;
    if (signal.aborted) return null;
    const stopped = new Promise<void>((resolve) =>
      signal.addEventListener('abort', () => resolve(), { once: true }),
    );
    const left = Math.max(0, deadline - Date.now());
    // However it ends: a run that is over by then ends as it does without the cache.
    await withDeadline(Promise.race([equal, stopped]), left, 'the equal run goes on').catch(() => undefined);
    return signal.aborted || deadline <= Date.now() ? null : this.#find(asked);
  }

  async #make(asked: Asked, execute: Execute): Promise<AttemptOutcome> {
    const { key, plan, policy } = asked;
    const footprint = new RunFootprint();
    const making = execute(footprint).then(async (outcome) => {
      await this.#keep(asked, footprint, outcome);
      return outcome;
    });
    // Nobody is to wait for what may be of no use to him.
    if (this.#inFlight.has(key) || !willBeKept(plan, policy)) return making;
    this.#inFlight.set(key, making);
    try {
      return await making;
    } finally {
      this.#inFlight.delete(key);
    }
  }

  async #find({ key, order, policy }: Asked): Promise<AttemptOutcome | null> {
    try {
      const text = await this.#options.keyValue.get(this.#placeOf(key, order.userId));
      const kept = text === null ? null : (JSON.parse(text) as KeptResult);
      const now = this.#options.clock.now();
      const isMeant = kept?.key === key && now - kept.keptAt < policy.maximumAgeSeconds * 1_000;
      return isMeant && (await this.#isStillTrue(kept, order.userId))
        ? outcomeAgain(kept, order.runId, now)
        : null;
    } catch (error) {
      this.#fail(error, order, 'a kept result could not be read');
      return null;
    }
  }

  /** Whether the run would see what the one saw that made the result. */
  async #isStillTrue({ key, variables, reads }: KeptResult, userId: string): Promise<boolean> {
    const { variables: stored, history, environmentVariable } = this.#options;
    const same = await Promise.all([
      ...variables.map(async ([name, digest]) => {
        const value = (await stored.value(userId, name)) ?? environmentVariable(name);
        return variableDigest(key, name, value) === digest;
      }),
      ...reads.map(async ({ place, digest }) => digestOf(await history.recent(...place)) === digest),
    ]);
    return !same.includes(false);
  }

  /** Never rejects. */
  async #keep(
    { key, order, policy, plan }: Asked,
    footprint: RunFootprint,
    outcome: AttemptOutcome,
  ): Promise<void> {
    if (outcome.status !== 'succeeded') return;
    const { keyValue, maximumCharacters, clock } = this.#options;
    if (!mayBeKept(plan, footprint, policy)) return this.#count('unfit');
    const text = JSON.stringify(
      keptResult({ key, runId: order.runId, now: clock.now() }, footprint, outcome),
    );
    if (text.length > maximumCharacters) return this.#count('too_large');
    try {
      const ttlMilliseconds = policy.ttlSeconds * 1_000;
      await keyValue.set(this.#placeOf(key, order.userId), text, { ttlMilliseconds });
      this.#count('kept');
    } catch (error) {
      this.#fail(error, order, 'a result could not be kept');
    }
  }

  /** One of the places of its user, where it takes that of whatever is there: no user has more than so many. */
  #placeOf(key: string, userId: string): string {
    const place = Number.parseInt(key.slice(0, 12), 16) % this.#options.maximumEntries;
    return `result:${userId}:${place}`;
  }

  #fail(error: unknown, { runId }: CachedOrder, what: string): void {
    this.#count('unavailable');
    this.#options.logger.debug({ error, runId }, what);
  }
}
