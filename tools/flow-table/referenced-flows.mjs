/**
 * Uploads the flows that vertices of another flow run by name. Each of them is small: the inputs whose fields the vertex
 * sets, and an output that repeats the last of them. Resolves to their ids.
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

function referencedFlow(inputs) {
  const nodes = [
    ...inputs.map((id) => node(id, id.split('-')[0])),
    node('ChatOutput-companion', 'ChatOutput'),
  ];
  const source = inputs.at(-1);
  const output = source.startsWith('ChatInput') ? 'message' : 'text';
  return { nodes, edges: [edge(source, output, 'ChatOutput-companion', 'input_value')] };
}

function node(id, type) {
  const template = { input_value: { type: 'str', value: '', show: true, name: 'input_value' } };
  return { id, type: 'genericNode', data: { id, type, node: { display_name: type, template, outputs: [] } } };
}

function edge(source, output, target, field) {
  const sourceHandle = { id: source, name: output, output_types: ['Message'] };
  const targetHandle = { id: target, fieldName: field, inputTypes: ['Message'], type: 'str' };
  return { source, target, data: { sourceHandle, targetHandle } };
}
