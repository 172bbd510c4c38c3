import type { ValueOf } from '../../http/validation/body-schema';

const MAXIMUM_PARTS = 10_000;
const text = { type: 'string' } as const;

export const compactFlowSchema = {
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
          /** Set where `node` is the whole node. */
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
} as const;

/** Body of `POST /api/v1/flows/expand/`: a flow as programs and language models write it. */
export type CompactFlow = ValueOf<typeof compactFlowSchema>;
export type CompactNode = CompactFlow['nodes'][number];
export type CompactEdge = CompactFlow['edges'][number];
