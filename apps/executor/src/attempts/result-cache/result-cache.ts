import type { CachePolicy } from '@millrace/messages';
import type { Plan } from '@millrace/flow';
import type { KeyValueStore } from '@millrace/key-value';
import { machineTime, withDeadline } from '@millrace/service';
import type { Logger, Metrics } from '@millrace/service';
import type { AttemptOutcome } from '../attempt-outcome';
import type { AttemptDependencies, DispatchOrder } from '../attempt-order';
import { cachedResult, outcomeFromCache, variableDigest } from './cached-result';
import type { CachedResult } from './cached-result';
import { isCacheable, isAlwaysCacheable } from './is-cacheable';
import { digestOf, resultKey } from './result-key';
import { RunFootprint } from './run-footprint';

export interface ResultCacheBounds {
  /** Maximum number of cached results per user; 0 disables the cache. */
  readonly maximumEntries: number;
  /** Maximum size of one result with its messages, in characters. */
  readonly maximumCharacters: number;
}

export interface ResultCacheOptions
  extends
    ResultCacheBounds,
    Pick<AttemptDependencies, 'variables' | 'history' | 'environmentVariable' | 'clock'> {
  readonly keyValue: KeyValueStore;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Part of the cache key, because another version may answer differently. */
  readonly version: string;
}

interface CacheLookup {
  readonly key: string;
  readonly order: DispatchOrder;
  readonly policy: CachePolicy;
  readonly plan: Plan;
}

type Execute = (footprint: RunFootprint) => Promise<AttemptOutcome>;

/**
 * Caches results for runs with the same request, in the key-value store; without the store, every run is executed.
 * Simultaneous runs of this process with the same request wait for the first one.
 */
export class ResultCache {
  readonly #options: ResultCacheOptions;
  readonly #inFlight = new Map<string, Promise<unknown>>();
  readonly #count: (outcome: string) => void;

  constructor(options: ResultCacheOptions) {
    this.#options = options;
    const lookups = options.metrics.counter(
      'millrace_result_cache_total',
      'Result cache operations, by outcome',
      { labels: { outcome: ['hit', 'miss', 'kept', 'unfit', 'too_large', 'unavailable'] } },
    );
    this.#count = (outcome) => lookups.add(1, { outcome });
  }

  /**
   * Resolves to the cached outcome of an earlier run, or executes the run and caches its outcome. Rejects as `execute`
   * does.
   */
  async outcome(order: DispatchOrder, policy: CachePolicy, execute: Execute): Promise<AttemptOutcome> {
    const plan = await order.plan().catch(() => null);
    if (plan === null || this.#options.maximumEntries === 0) return execute(new RunFootprint());
    const { variables, version } = this.#options;
    const fieldVariables = await variables.defaultFields.of(order.userId);
    const key = resultKey({ ...order, fieldVariables }, policy, version);
    const lookup: CacheLookup = { key, order, policy, plan };
    let found = await this.#find(lookup);
    // Nothing must be awaited between here and the run's own entry, so that only one of equal runs is the first.
    const equal = this.#inFlight.get(lookup.key);
    if (found === null && equal !== undefined && policy.maximumAgeSeconds > 0) {
      found = await this.#findAfter(equal, lookup);
    }
    this.#count(found ? 'hit' : 'miss');
    return found ?? { ...(await this.#execute(lookup, execute)), cache: 'miss' };
  }

  /** Waits for an equal run of this process to end, then looks for its cached result. */
  async #findAfter(equal: Promise<unknown>, lookup: CacheLookup): Promise<AttemptOutcome | null> {
    const { signal, deadline } = lookup.order;
    if (signal.aborted) return null;
    const stopped = new Promise<void>((resolve) =>
      signal.addEventListener('abort', () => resolve(), { once: true }),
    );
    const left = Math.max(0, deadline - machineTime());
    // The result of the wait does not matter: a run that is aborted or late ends as it does without the cache.
    await withDeadline(Promise.race([equal, stopped]), left, 'the equal run has not ended').catch(
      () => undefined,
    );
    return signal.aborted || deadline <= machineTime() ? null : this.#find(lookup);
  }

  async #execute(lookup: CacheLookup, execute: Execute): Promise<AttemptOutcome> {
    const { key, plan, policy } = lookup;
    const footprint = new RunFootprint();
    const execution = execute(footprint).then(async (outcome) => {
      await this.#store(lookup, footprint, outcome);
      return outcome;
    });
    // Let other runs wait only for a result that they can use.
    if (this.#inFlight.has(key) || !isAlwaysCacheable(plan, policy)) return execution;
    this.#inFlight.set(key, execution);
    try {
      return await execution;
    } finally {
      this.#inFlight.delete(key);
    }
  }

  async #find({ key, order, policy }: CacheLookup): Promise<AttemptOutcome | null> {
    try {
      const text = await this.#options.keyValue.get(this.#storageKey(key, order.userId));
      const cached = text === null ? null : (JSON.parse(text) as CachedResult);
      const now = this.#options.clock.now();
      const isUsable = cached?.key === key && now - cached.keptAt < policy.maximumAgeSeconds * 1_000;
      return isUsable && (await this.#isStillValid(cached, order.userId))
        ? outcomeFromCache(cached, order.runId, now)
        : null;
    } catch (error) {
      this.#fail(error, order, 'could not read a cached result');
      return null;
    }
  }

  /** Returns whether the variables and messages that produced the result are unchanged. */
  async #isStillValid({ key, variables, reads }: CachedResult, userId: string): Promise<boolean> {
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
  async #store(
    { key, order, policy, plan }: CacheLookup,
    footprint: RunFootprint,
    outcome: AttemptOutcome,
  ): Promise<void> {
    if (outcome.status !== 'succeeded') return;
    const { keyValue, maximumCharacters, clock } = this.#options;
    if (!isCacheable(plan, footprint, policy)) return this.#count('unfit');
    const text = JSON.stringify(
      cachedResult({ key, runId: order.runId, now: clock.now() }, footprint, outcome),
    );
    if (text.length > maximumCharacters) return this.#count('too_large');
    try {
      const ttlMilliseconds = policy.ttlSeconds * 1_000;
      await keyValue.set(this.#storageKey(key, order.userId), text, { ttlMilliseconds });
      this.#count('kept');
    } catch (error) {
      this.#fail(error, order, 'could not cache a result');
    }
  }

  /** Returns one of the limited number of keys of the user; a new result replaces the one that is stored there. */
  #storageKey(key: string, userId: string): string {
    const place = Number.parseInt(key.slice(0, 12), 16) % this.#options.maximumEntries;
    return `result:${userId}:${place}`;
  }

  #fail(error: unknown, { runId }: DispatchOrder, what: string): void {
    this.#count('unavailable');
    this.#options.logger.debug({ error, runId }, what);
  }
}
