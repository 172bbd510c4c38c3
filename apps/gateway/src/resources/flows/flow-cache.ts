import type { FlowReference, FlowStore } from '@millrace/runs';
import { LRUCache } from 'lru-cache';

const TTL_MILLISECONDS = 5_000;
const MAXIMUM_ENTRIES = 10_000;
/** Limited by size, because `max` allocates memory for all entries at once. */
const SIZE_LIMIT = { maxSize: MAXIMUM_ENTRIES, sizeCalculation: () => 1 };

/**
 * Caches which flow a user's id or endpoint name refers to, and its current version, for at most 5 s. A change by this
 * gateway, or one announced by another, drops the entry at once. Unknown flows are not cached, since they can be
 * created at any moment.
 */
export class FlowCache {
  readonly #flows: Pick<FlowStore, 'resolve'>;
  readonly #cached = new LRUCache<string, FlowReference>({ ...SIZE_LIMIT, ttl: TTL_MILLISECONDS });
  readonly #lookups = new Map<string, Promise<FlowReference | null>>();
  /** Counts changes, so that the result of a query from before a change is not cached after it. */
  #changes = 0;

  constructor({ flows }: { readonly flows: Pick<FlowStore, 'resolve'> }) {
    this.#flows = flows;
  }

  /** Returns null for unknown flows and for flows of other users. No promise when the flow is cached. */
  find(userId: string, reference: string): FlowReference | null | Promise<FlowReference | null> {
    const key = `${userId} ${reference}`;
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

  async #lookUp(key: string, userId: string, reference: string): Promise<FlowReference | null> {
    const changes = this.#changes;
    const flow = await this.#flows.resolve(userId, reference);
    if (flow && changes === this.#changes) this.#cached.set(key, flow);
    return flow;
  }
}
