/** What a field of a node may hold: a text, an integer, a truth value, or the paths of files. */
type FieldValue = string | number | boolean | readonly string[];

/** A node of a flow file: fields by name, a script as the code it is. */
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

export function wire([source, name]: [string, string], [target, fieldName]: [string, string]): unknown {
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
