import { compile, parseFlowDocument, protectedFields, reachedVertices, refusedTweaks } from '@millrace/flow';
import type { ComponentRegistry, Plan, ProtectedFields, Tweaks } from '@millrace/flow';
import type { FlowReference, FlowStore } from '@millrace/runs';
import type { LangflowRelease } from '@millrace/service';
import { LRUCache } from 'lru-cache';

const MAXIMUM_VERSIONS = 1_000;

/** A vertex whose result is an output of its flow. */
export interface FlowOutput {
  readonly id: string;
  readonly type: string;
  readonly displayName: string;
}

/** Properties of a flow version that the gateway needs, derived from its document and the code policy. */
export interface FlowTraits {
  /** In node order. */
  readonly outputs: readonly FlowOutput[];
  /** Ids of the vertices that a run reaches and that run the stock component instead of edited code. */
  readonly replacedVertices: readonly string[];
  /** The fields of each vertex that no request can change. */
  readonly protectedFields: readonly ProtectedFields[];
}

export interface FlowTraitsOptions {
  readonly flows: Pick<FlowStore, 'document'>;
  readonly registry: ComponentRegistry;
  readonly release: LangflowRelease;
}

const noTraits: FlowTraits = { outputs: [], replacedVertices: [], protectedFields: [] };

/** Caches the traits of flow versions. A version never changes, so its traits stay valid. */
export class FlowTraitsCache {
  readonly #options: FlowTraitsOptions;
  readonly #cached = new LRUCache<string, FlowTraits>({ max: MAXIMUM_VERSIONS });

  constructor(options: FlowTraitsOptions) {
    this.#options = options;
  }

  /** Returns the traits if they are cached. */
  peek(flowId: string, version: number): FlowTraits | undefined {
    return this.#cached.get(keyOf(flowId, version));
  }

  /** Resolves to empty traits when the version does not exist or is empty. Rejects when the database is unavailable. */
  async of(flowId: string, version: number): Promise<FlowTraits> {
    const cached = this.peek(flowId, version);
    if (cached) return cached;
    const { flows, registry } = this.#options;
    const document = await flows.document(flowId, version);
    if (typeof document !== 'object' || document === null || Object.keys(document).length === 0)
      return noTraits;
    const traits = traitsOf(compile(parseFlowDocument(document), { flowId, version, registry }));
    this.#cached.set(keyOf(flowId, version), traits);
    return traits;
  }

  /**
   * Returns the names of the protected fields that tweaks would change, sorted; without a promise for a request without tweaks.
   * Such a run is refused before anything is executed or stored. With the answers of Langflow 1.11 none is; the engine ignores
   * such tweaks in any case.
   */
  refusedTweaks(
    flow: Pick<FlowReference, 'id' | 'version'>,
    tweaks: Tweaks,
  ): readonly string[] | Promise<readonly string[]> {
    if (this.#options.release === '1.11' || Object.keys(tweaks).length === 0) return [];
    return this.of(flow.id, flow.version).then((traits) => refusedTweaks(traits.protectedFields, tweaks));
  }
}

function keyOf(flowId: string, version: number): string {
  return `${flowId} ${version}`;
}

function traitsOf(plan: Plan): FlowTraits {
  const runs = new Set(reachedVertices(plan));
  return {
    outputs: plan.vertices
      .filter((vertex) => vertex.isOutput)
      .map(({ id, type, displayName }) => ({ id, type, displayName })),
    replacedVertices: plan.vertices
      .filter((vertex) => vertex.replacesCode && runs.has(vertex))
      .map(({ id }) => id),
    protectedFields: protectedFields(plan),
  };
}
