/** The value of a node's field: a string, an integer, a boolean, or file paths. */
type FieldValue = string | number | boolean | readonly string[];

/** Returns a node of a flow file. `fields` are by name; `script` becomes a code field. */
export function node(id: string, fields: Readonly<Record<string, FieldValue>>, output: string): unknown {
  const type = id.split('-')[0];
  const template = Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, field(name, value)]),
  );
  return {
    id,
    data: { id, type, node: { display_name: type, template, outputs: [{ name: output }] } },
  };
}

/** Returns an edge from an output to a field. */
export function edge([source, name]: [string, string], [target, fieldName]: [string, string]): unknown {
  return {
    source,
    target,
    data: { sourceHandle: { id: source, name }, targetHandle: { id: target, fieldName } },
  };
}

function field(name: string, value: FieldValue): unknown {
  if (typeof value === 'number') return { name, type: 'int', value, show: true };
  if (typeof value === 'boolean') return { name, type: 'bool', value, show: true };
  if (typeof value === 'string') return { name, type: name === 'script' ? 'code' : 'str', value, show: true };
  return { name, type: 'file', value: '', file_path: value, show: true };
}
