import { compile, parseFlowDocument } from '@millrace/flow';
import type { ComponentRegistry } from '@millrace/flow';
import type { FlowStore } from '@millrace/runs';
import { LRUCache } from 'lru-cache';

const MAXIMUM_VERSIONS = 1_000;

/** A vertex whose result is an output of its flow. */
export interface FlowOutput {
  readonly id: string;
  readonly type: string;
  readonly displayName: string;
}

export interface FlowOutputsOptions {
  readonly flows: Pick<FlowStore, 'document'>;
  readonly registry: ComponentRegistry;
}

/** Which outputs the versions of flows have. A version never changes, so what is known of it stays true. */
export class FlowOutputs {
  readonly #options: FlowOutputsOptions;
  readonly #kept = new LRUCache<string, readonly FlowOutput[]>({ max: MAXIMUM_VERSIONS });

  constructor(options: FlowOutputsOptions) {
    this.#options = options;
  }

  /** In node order; none when the version is gone or holds nothing. */
  async of(flowId: string, version: number): Promise<readonly FlowOutput[]> {
    const key = `${flowId} ${version}`;
    const kept = this.#kept.get(key);
    if (kept) return kept;
    const { flows, registry } = this.#options;
    const document = await flows.document(flowId, version);
    if (typeof document !== 'object' || document === null || Object.keys(document).length === 0) return [];
    const plan = compile(parseFlowDocument(document), { flowId, version, registry });
    const outputs = plan.vertices
      .filter((vertex) => vertex.isOutput)
      .map(({ id, type, displayName }) => ({ id, type, displayName }));
    this.#kept.set(key, outputs);
    return outputs;
  }
}
