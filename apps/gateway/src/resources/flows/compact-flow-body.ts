import type { RequestSchema } from '../../http/validation/request-schema';

export interface CompactNode {
  readonly id: string;
  readonly type: string;
  readonly values?: Readonly<Record<string, unknown>>;
  /** Set where `node` is the whole node. */
  readonly edited?: boolean;
  readonly node?: Readonly<Record<string, unknown>> | null;
}

export interface CompactEdge {
  readonly source: string;
  readonly source_output: string;
  readonly target: string;
  readonly target_input: string;
}

/** Body of `POST /api/v1/flows/expand/`: a flow as programs and language models write it. */
export interface CompactFlow {
  readonly nodes: readonly CompactNode[];
  readonly edges: readonly CompactEdge[];
}

const MAXIMUM_PARTS = 10_000;
const text = { type: 'string' };

export const compactFlowSchema: RequestSchema = {
  title: 'CompactFlow',
  type: 'object',
  required: ['nodes', 'edges'],
  properties: {
    nodes: {
      type: 'array',
      maxItems: MAXIMUM_PARTS,
      items: {
        type: 'object',
        'x-model': true,
        required: ['id', 'type'],
        properties: {
          id: text,
          type: text,
          values: { type: 'object' },
          edited: { 'x-flag': true },
          node: { type: ['object', 'null'] },
        },
      },
    },
    edges: {
      type: 'array',
      maxItems: MAXIMUM_PARTS,
      items: {
        type: 'object',
        'x-model': true,
        required: ['source', 'source_output', 'target', 'target_input'],
        properties: { source: text, source_output: text, target: text, target_input: text },
      },
    },
  },
};
