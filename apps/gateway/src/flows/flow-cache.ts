import type { FlowReference, FlowStore } from '@millrace/runs';
import { LRUCache } from 'lru-cache';

const KEPT_MILLISECONDS = 5_000;
const MAXIMUM_ENTRIES = 10_000;
/** By size, because with `max` the room for all entries is taken at once. */
const BOUND = { maxSize: MAXIMUM_ENTRIES, sizeCalculation: () => 1 };

/**
 * Which flow a caller means by an id or endpoint name, and its current version. Kept for 5 s at most; a change made
 * here or told by another gateway ends it at once. Flows that are not there are asked for each time: the next moment
 * they may be.
 */
export class FlowCache {
  readonly #flows: Pick<FlowStore, 'resolve'>;
  readonly #kept = new LRUCache<string, FlowReference>({ ...BOUND, ttl: KEPT_MILLISECONDS });
  readonly #asking = new Map<string, Promise<FlowReference | null>>();
  /** Counts changes, so that an answer from before one is not kept after it. */
  #changes = 0;

  constructor({ flows }: { readonly flows: Pick<FlowStore, 'resolve'> }) {
    this.#flows = flows;
  }

  /** Null for unknown flows and for somebody else's alike. At once when it is cached. */
  find(userId: string, reference: string): FlowReference | null | Promise<FlowReference | null> {
    const key = `${userId} ${reference}`;
    const kept = this.#kept.get(key);
    if (kept) return kept;
    let asking = this.#asking.get(key);
    if (!asking) {
      asking = this.#ask(key, userId, reference).finally(() => this.#asking.delete(key));
      this.#asking.set(key, asking);
    }
    return asking;
  }

  /** The flow was changed or deleted. */
  forget(flowId: string): void {
    this.#changes += 1;
    this.#asking.clear();
    for (const [key, flow] of this.#kept.entries()) if (flow.id === flowId) this.#kept.delete(key);
  }

  async #ask(key: string, userId: string, reference: string): Promise<FlowReference | null> {
    const changes = this.#changes;
    const flow = await this.#flows.resolve(userId, reference);
    if (flow && changes === this.#changes) this.#kept.set(key, flow);
    return flow;
  }
}
