import {
  askingTraits,
  canAsk,
  compile,
  parseFlowDocument,
  protectedFields,
  reachedVertices,
  refusedTweaks,
} from '@millrace/flow';
import type { CalledFlow, ComponentRegistry, Plan, ProtectedFields, Tweaks } from '@millrace/flow';
import type { FlowReference, FlowStore } from '@millrace/runs';
import type { LangflowRelease } from '@millrace/service';
import { LRUCache } from 'lru-cache';
import { inputFieldsOf } from './input-fields';
import type { FlowInputField } from './input-fields';

const MAXIMUM_VERSIONS = 1_000;

/** A vertex whose result is an output of its flow. */
export interface FlowOutput {
  readonly id: string;
  readonly type: string;
  readonly displayName: string;
}

/** A vertex that gives its result to no other. */
export interface FlowTerminal extends FlowOutput {
  /** The type of its first output, such as `Message`, in lower case; that of the vertex when it has none. */
  readonly outputType: string;
  /** Whether its result is an output of its flow. */
  readonly isOutput: boolean;
  /** False when no run reaches it. */
  readonly runs: boolean;
}

/** Properties of a flow version that the gateway needs, derived from its document and the code policy. */
export interface FlowTraits {
  /** In node order. */
  readonly outputs: readonly FlowOutput[];
  /** In node order. */
  readonly terminals: readonly FlowTerminal[];
  /** The fields of its inputs, in node order. */
  readonly inputFields: readonly FlowInputField[];
  /** The types of its vertices. */
  readonly types: ReadonlySet<string>;
  /** Ids of the vertices that a run reaches and that run the stock component instead of edited code. */
  readonly replacedVertices: readonly string[];
  /** The fields of each vertex that no request can change. */
  readonly protectedFields: readonly ProtectedFields[];
  /** A run can wait for a person. */
  readonly asksHuman: boolean;
  /** The flows that its vertices run. */
  readonly calledFlows: readonly CalledFlow[];
}

export interface FlowTraitsOptions {
  readonly flows: Pick<FlowStore, 'document' | 'findSummary'>;
  readonly registry: ComponentRegistry;
  readonly release: LangflowRelease;
}

const noTraits: FlowTraits = {
  outputs: [],
  terminals: [],
  inputFields: [],
  types: new Set(),
  replacedVertices: [],
  protectedFields: [],
  asksHuman: false,
  calledFlows: [],
};

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
    const parsed = parseFlowDocument(document);
    const traits = traitsOf(compile(parsed, { flowId, version, registry }), parsed, document);
    this.#cached.set(keyOf(flowId, version), traits);
    return traits;
  }

  /** Returns whether a run of a flow with these traits can wait for a person: in the flow, or in one that it runs. */
  canAsk(userId: string, traits: FlowTraits): Promise<boolean> {
    return canAsk(traits, {
      find: (name) => this.#options.flows.findSummary(userId, name),
      traitsOf: ({ id, version }) => this.of(id, version),
    });
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

function traitsOf(plan: Plan, { nodes }: ReturnType<typeof parseFlowDocument>, document: object): FlowTraits {
  const runs = new Set(reachedVertices(plan));
  const savedOutputs = new Map(nodes.map((node) => [node.id, node.savedOutputs]));
  return {
    outputs: plan.vertices
      .filter((vertex) => vertex.isOutput)
      .map(({ id, type, displayName }) => ({ id, type, displayName })),
    terminals: plan.vertices
      .filter((vertex) => vertex.outgoing.length === 0)
      .map((vertex) => {
        const { id, displayName, isOutput } = vertex;
        const outputs = savedOutputs.get(id) ?? [];
        // As in Langflow, a vertex with an output for tools has the name of the class of all components.
        const type = outputs.some((output) => typesOf(output).includes('Tool')) ? 'Component' : vertex.type;
        const outputType = (typesOf(outputs[0])[0] || type).toLowerCase();
        return { id, type, displayName, outputType, isOutput, runs: runs.has(vertex) };
      }),
    inputFields: inputFieldsOf(
      document,
      new Set(plan.vertices.filter((vertex) => vertex.isInput).map(({ id }) => id)),
    ),
    types: new Set(plan.vertices.map(({ type }) => type)),
    replacedVertices: plan.vertices
      .filter((vertex) => vertex.replacesCode && runs.has(vertex))
      .map(({ id }) => id),
    protectedFields: protectedFields(plan),
    ...askingTraits(plan),
  };
}

function typesOf(output: Readonly<Record<string, unknown>> | undefined): readonly string[] {
  const types = output?.['types'];
  return Array.isArray(types) ? types.filter((type) => typeof type === 'string') : [];
}
