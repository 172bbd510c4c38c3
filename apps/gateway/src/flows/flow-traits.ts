import { compile, parseFlowDocument } from '@millrace/flow';
import type { ComponentRegistry, Plan, RunScope } from '@millrace/flow';
import type { FlowStore } from '@millrace/runs';
import { LRUCache } from 'lru-cache';

const MAXIMUM_VERSIONS = 1_000;

/** A vertex whose result is an output of its flow. */
export interface FlowOutput {
  readonly id: string;
  readonly type: string;
  readonly displayName: string;
}

/** What the gateway needs to know of a flow version, of its document and the code policy. */
export interface FlowTraits {
  /** In node order. */
  readonly outputs: readonly FlowOutput[];
  /** Ids of the vertices that a run reaches and that run the stock component in place of edited code. */
  readonly replacedVertices: readonly string[];
}

export interface FlowTraitsOptions {
  readonly flows: Pick<FlowStore, 'document'>;
  readonly registry: ComponentRegistry;
}

const noTraits: FlowTraits = { outputs: [], replacedVertices: [] };

/** The traits of flow versions, compiled once for each version. A version never changes, so its traits stay true. */
export class FlowTraitsCache {
  readonly #options: FlowTraitsOptions;
  readonly #kept = new LRUCache<string, FlowTraits>({ max: MAXIMUM_VERSIONS });

  constructor(options: FlowTraitsOptions) {
    this.#options = options;
  }

  /** The traits if they are in memory. */
  peek(flowId: string, version: number): FlowTraits | undefined {
    return this.#kept.get(keyOf(flowId, version));
  }

  /** Empty traits when the version does not exist or holds nothing. Rejects when the database is away. */
  async of(flowId: string, version: number): Promise<FlowTraits> {
    const kept = this.peek(flowId, version);
    if (kept) return kept;
    const { flows, registry } = this.#options;
    const document = await flows.document(flowId, version);
    if (typeof document !== 'object' || document === null || Object.keys(document).length === 0)
      return noTraits;
    const traits = traitsOf(compile(parseFlowDocument(document), { flowId, version, registry }));
    this.#kept.set(keyOf(flowId, version), traits);
    return traits;
  }
}

function keyOf(flowId: string, version: number): string {
  return `${flowId} ${version}`;
}

function traitsOf({ vertices, scope }: Plan): FlowTraits {
  const runs = runIndexes(scope);
  return {
    outputs: vertices
      .filter((vertex) => vertex.isOutput)
      .map(({ id, type, displayName }) => ({ id, type, displayName })),
    replacedVertices: vertices
      .filter(({ index, replacesCode }) => replacesCode && runs.has(index))
      .map(({ id }) => id),
  };
}

/** Vertices that a run executes, those inside of loops too. */
function runIndexes(scope: RunScope): ReadonlySet<number> {
  const inside = [...scope.bodies.values()].flatMap((body) => [...runIndexes(body.scope)]);
  return new Set([...scope.vertices, ...inside]);
}
