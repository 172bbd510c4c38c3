// Parts of flow files in Langflow's format, for flows that tests write by hand.

/**
 * @typedef {string | number | boolean | readonly string[] | Readonly<Record<string, unknown>>} FieldValue The value of a
 *   field: a text, an integer, a boolean, or paths of files. An object is the field itself, for what these do not express.
 *
 * @typedef {{ readonly id: string, readonly type: string, readonly data: NodeData }} FlowNode
 * @typedef {{ readonly id: string, readonly type: string, readonly node: NodeBody }} NodeData
 *
 * @typedef {object} NodeBody
 * @property {string} display_name
 * @property {Readonly<Record<string, object>>} template
 * @property {readonly NodeOutput[]} outputs
 *
 * @typedef {{ readonly name: string, readonly types: readonly string[], readonly method?: string }} NodeOutput An output; the
 *   editor saves the method of the component that computes it.
 *
 * @typedef {object} FlowEdge
 * @property {string} source
 * @property {string} target
 * @property {{ readonly sourceHandle: object, readonly targetHandle: object }} data
 *
 * @typedef {{ readonly nodes: readonly FlowNode[], readonly edges: readonly FlowEdge[] }} FlowData
 */

/**
 * Returns a node with the given fields and outputs. Its type is its id without the part after the last hyphen; the field
 * `script` contains code. An output that is a name gives messages.
 * @param {string} id such as `ChatInput-a`
 * @param {Readonly<Record<string, FieldValue>>} fields
 * @param {...(string | NodeOutput)} outputs
 * @returns {FlowNode}
 */
function node(id, fields, ...outputs) {
  const type = id.slice(0, id.lastIndexOf('-'));
  const template = Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, { name, show: true, ...field(name, value) }]),
  );
  const body = {
    display_name: type,
    template,
    outputs: outputs.map((output) =>
      typeof output === 'string' ? { name: output, types: ['Message'] } : output,
    ),
  };
  return { id, type: 'genericNode', data: { id, type, node: body } };
}

/**
 * Returns an edge from an output to a field.
 * @param {string} text such as `ChatInput-a.message > ChatOutput-z.input_value`
 * @returns {FlowEdge}
 */
function edge(text) {
  const [from = '', to = ''] = text.split(' > ');
  const [source = '', name = ''] = from.split('.');
  const [target = '', fieldName = ''] = to.split('.');
  if (name === '' || fieldName === '') throw new Error(`"${text}" is not "<id>.<output> > <id>.<field>"`);
  return {
    source,
    target,
    data: { sourceHandle: { id: source, name }, targetHandle: { id: target, fieldName } },
  };
}

/**
 * Returns the member `data` of a flow file.
 * @param {readonly FlowNode[]} nodes
 * @param {readonly string[]} edges as `edge` reads them
 * @returns {FlowData}
 */
function flowData(nodes, edges) {
  return { nodes, edges: edges.map(edge) };
}

/**
 * @param {string} name
 * @param {FieldValue} value
 * @returns {Readonly<Record<string, unknown>>}
 */
function field(name, value) {
  if (typeof value === 'number') return { type: 'int', value };
  if (typeof value === 'boolean') return { type: 'bool', value };
  if (typeof value === 'string') return { type: name === 'script' ? 'code' : 'str', value };
  if (Array.isArray(value)) return { type: 'file', list: true, value: '', file_path: value };
  return { type: 'str', ...value };
}

module.exports = { edge, flowData, node };
