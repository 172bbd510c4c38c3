import { compile, parseFlowDocument } from '@millrace/flow';
import type { ComponentRegistry, Plan } from '@millrace/flow';
import type { KeyValueStore } from '@millrace/key-value';
import type { FlowStore } from '@millrace/runs';
import { LRUCache } from 'lru-cache';

const DOCUMENT_TTL_MILLISECONDS = 3_600_000;
/** Larger documents are not cached in the key-value store; each process reads them from the database. */
const MAXIMUM_CACHED_DOCUMENT_CHARACTERS = 1_048_576;

export interface PlanCacheDependencies {
  readonly flows: FlowStore;
  readonly keyValue: KeyValueStore;
  readonly registry: ComponentRegistry;
  readonly maximumPlans?: number;
}

/**
 * Caches compiled flow versions. Looks in the process, then for the document in the key-value store, then in the
 * database. A version never changes, so entries are never invalidated; simultaneous requests for it share one
 * compilation.
 */
export class PlanCache {
  readonly #dependencies: PlanCacheDependencies;
  readonly #plans: LRUCache<string, Promise<Plan | null>>;

  constructor(dependencies: PlanCacheDependencies) {
    this.#dependencies = dependencies;
    this.#plans = new LRUCache({ max: dependencies.maximumPlans ?? 500 });
  }

  /** Resolves to null when the flow version does not exist (any more). */
  get(flowId: string, version: number): Promise<Plan | null> {
    const key = `${flowId}@${version}`;
    const known = this.#plans.get(key);
    if (known) return known;
    const plan = this.#load(key, flowId, version);
    this.#plans.set(key, plan);
    const evict = () => this.#plans.delete(key);
    plan.then((loaded) => loaded ?? evict(), evict);
    return plan;
  }

  async #load(key: string, flowId: string, version: number): Promise<Plan | null> {
    const document = await this.#document(`plan:${key}`, flowId, version);
    if (document === null) return null;
    return compile(parseFlowDocument(document), { flowId, version, registry: this.#dependencies.registry });
  }

  async #document(cacheKey: string, flowId: string, version: number): Promise<unknown> {
    const { keyValue, flows } = this.#dependencies;
    const cached = await keyValue.get(cacheKey).catch(() => null);
    if (cached !== null) return JSON.parse(cached);
    const document = await flows.document(flowId, version);
    if (document === null) return null;
    const text = JSON.stringify(document);
    if (text.length <= MAXIMUM_CACHED_DOCUMENT_CHARACTERS) {
      // If this write is lost, the only cost is one more read of the database.
      keyValue.set(cacheKey, text, { ttlMilliseconds: DOCUMENT_TTL_MILLISECONDS }).catch(() => undefined);
    }
    return document;
  }
}
