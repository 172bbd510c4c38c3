import { flowData, node } from '../../libs/testing/src/index.cjs';

/** @import { Client } from './client.mjs' */
/** @import { PlannedVertex } from './table.mjs' */

/**
 * Uploads the flows that vertices of another flow run by name. Each of them is small: the inputs whose fields the vertex
 * sets, and an output that repeats the last of them. Resolves to their ids.
 * @param {Client} client
 * @param {readonly PlannedVertex[]} vertices
 */
export async function uploadReferencedFlows(client, vertices) {
  const ids = [];
  for (const { fields } of vertices) {
    const name = fields.get('flow_name_selected')?.value ?? fields.get('flow_name')?.value;
    if (typeof name !== 'string' || name === '') continue;
    const inputs = [...fields.keys()]
      .filter((field) => field.includes('~'))
      .map((field) => field.split('~')[0]);
    ids.push(
      (await client.file(name, referencedFlow(inputs.length > 0 ? inputs : ['ChatInput-companion']))).id,
    );
  }
  return ids;
}

/** @param {readonly string[]} inputs the ids of its inputs, at least one */
function referencedFlow(inputs) {
  const source = inputs[inputs.length - 1];
  const output = source.startsWith('ChatInput') ? 'message' : 'text';
  return flowData(
    [...inputs, 'ChatOutput-companion'].map((id) => node(id, { input_value: '' })),
    [`${source}.${output} > ChatOutput-companion.input_value`],
  );
}
