import { compile, parseFlowDocument } from '@millrace/flow';
import type { ComponentRegistry, Plan } from '@millrace/flow';
import type { KeyValueStore } from '@millrace/key-value';
import type { FlowStore } from '@millrace/runs';
import { LRUCache } from 'lru-cache';

const DOCUMENT_TTL_MILLISECONDS = 3_600_000;
/** Larger documents are read from the database each time a process first needs them. */
const MAXIMUM_CACHED_DOCUMENT_CHARACTERS = 1_048_576;

export interface PlanCacheDependencies {
  readonly flows: FlowStore;
  readonly keyValue: KeyValueStore;
  readonly registry: ComponentRegistry;
  readonly maximumPlans?: number;
}

/**
 * Compiled flow versions: in the process, then the key-value store's copy of the document, then the database. A
 * version never changes, so nothing here is ever invalidated; equal requests in flight share one compilation.
 */
export class PlanCache {
  readonly #dependencies: PlanCacheDependencies;
  readonly #plans: LRUCache<string, Promise<Plan | null>>;

  constructor(dependencies: PlanCacheDependencies) {
    this.#dependencies = dependencies;
    this.#plans = new LRUCache({ max: dependencies.maximumPlans ?? 500 });
  }

  /** Null when there is no such flow version (any more). */
  get(flowId: string, version: number): Promise<Plan | null> {
    const key = `${flowId}@${version}`;
    const known = this.#plans.get(key);
    if (known) return known;
    const plan = this.#load(key, flowId, version);
    this.#plans.set(key, plan);
    const forget = () => this.#plans.delete(key);
    plan.then((loaded) => loaded ?? forget(), forget);
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
      // Losing this write costs one more read of the database, nothing else.
      keyValue.set(cacheKey, text, { ttlMilliseconds: DOCUMENT_TTL_MILLISECONDS }).catch(() => undefined);
    }
    return document;
  }
}
