import type { FlowStore } from '@millrace/runs';
import { LRUCache } from 'lru-cache';

const MAXIMUM_NAMES = 1_000;
/** A flow that is renamed has its new name in traces after this time. */
const TTL_MILLISECONDS = 60_000;

/** The names of flows, for the names of spans. */
export class FlowNames {
  readonly #flows: Pick<FlowStore, 'name'>;
  readonly #names = new LRUCache<string, Promise<string | null>>({
    max: MAXIMUM_NAMES,
    ttl: TTL_MILLISECONDS,
  });

  constructor(flows: Pick<FlowStore, 'name'>) {
    this.#flows = flows;
  }

  /** Resolves to null for a deleted flow, and when the database cannot be read. Never rejects. */
  get(flowId: string): Promise<string | null> {
    const known = this.#names.get(flowId);
    if (known !== undefined) return known;
    const name = this.#flows.name(flowId).catch(() => {
      this.#names.delete(flowId);
      return null;
    });
    this.#names.set(flowId, name);
    return name;
  }
}
