import { poolOfFlow } from '@millrace/runs';
import type { FlowReference, FlowStore } from '@millrace/runs';
import { LRUCache } from 'lru-cache';

const MAXIMUM_ENTRIES = 10_000;
/** Limited by size, because `max` allocates memory for all entries at once. */
const SIZE_LIMIT = { maxSize: MAXIMUM_ENTRIES, sizeCalculation: () => 1 };

export interface FlowCacheOptions {
  readonly flows: Pick<FlowStore, 'resolve'>;
  /** How long an entry is valid, in case the announcement of a change is lost. */
  readonly ttlMilliseconds: number;
  /** The pool of flows that need Python and name no pool; null when they go to the pool of all others. */
  readonly pythonPool: string | null;
}

/**
 * Caches which flow an id or endpoint name refers to, and its current version. A change by this process, or one announced
 * by another, drops the entry at once. Unknown flows are not cached, since they can be created at any moment.
 */
export class FlowCache {
  readonly #flows: Pick<FlowStore, 'resolve'>;
  readonly #pythonPool: string | null;
  readonly #cached: LRUCache<string, FlowReference>;
  readonly #lookups = new Map<string, Promise<FlowReference | null>>();
  /** Counts changes, so that the result of a query from before a change is not cached after it. */
  #changes = 0;

  constructor({ flows, ttlMilliseconds, pythonPool }: FlowCacheOptions) {
    this.#flows = flows;
    this.#pythonPool = pythonPool;
    this.#cached = new LRUCache({ ...SIZE_LIMIT, ttl: ttlMilliseconds });
  }

  /**
   * Returns the flow of this user, or with `null` the only flow of all users that the reference names; null when there is
   * none. No promise when the flow is cached.
   */
  find(userId: string | null, reference: string): FlowReference | null | Promise<FlowReference | null> {
    const key = `${userId ?? ''} ${reference}`;
    const cached = this.#cached.get(key);
    if (cached) return cached;
    let lookup = this.#lookups.get(key);
    if (!lookup) {
      lookup = this.#lookUp(key, userId, reference).finally(() => this.#lookups.delete(key));
      this.#lookups.set(key, lookup);
    }
    return lookup;
  }

  /** Drops a flow that was changed or deleted. */
  invalidate(flowId: string): void {
    this.#changes += 1;
    this.#lookups.clear();
    for (const [key, flow] of this.#cached.entries()) if (flow.id === flowId) this.#cached.delete(key);
  }

  /** Drops all flows. With `null` as user, a change of one flow can change which other flow a reference names. */
  clear(): void {
    this.#changes += 1;
    this.#lookups.clear();
    this.#cached.clear();
  }

  async #lookUp(key: string, userId: string | null, reference: string): Promise<FlowReference | null> {
    const changes = this.#changes;
    const flow = this.#inPool(await this.#flows.resolve(userId, reference));
    if (flow && changes === this.#changes) this.#cached.set(key, flow);
    return flow;
  }

  #inPool(flow: FlowReference | null): FlowReference | null {
    return flow && { ...flow, pool: poolOfFlow(flow, this.#pythonPool) };
  }
}
