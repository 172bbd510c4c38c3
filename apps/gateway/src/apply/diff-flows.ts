/** A flow as exports and the HTTP interface write it. */
export interface AppliedFlow {
  readonly id?: string;
  readonly name: string;
  readonly endpoint_name?: string | null;
  readonly data?: unknown;
  readonly settings?: unknown;
  readonly [member: string]: unknown;
}

/** A difference between two flows. */
export interface FlowDifference {
  readonly kind: 'added' | 'removed' | 'changed';
  /** `name`, `vertex ChatInput-1`, `field ChatInput-1.input_value`, `edge A -> B`. */
  readonly place: string;
}

type Json = Readonly<Record<string, unknown>>;

const MEMBERS = ['name', 'description', 'endpoint_name', 'is_component', 'webhook'] as const;

/**
 * Returns what `right` has that `left` has not, and what is different. Members that `right` does not name, positions,
 * and values of secret fields are not compared.
 */
export function diffFlows(left: AppliedFlow, right: AppliedFlow): FlowDifference[] {
  const members = MEMBERS.filter(
    (name) => right[name] !== undefined && (right[name] || null) !== (left[name] || null),
  ).map((place): FlowDifference => ({ kind: 'changed', place }));
  if (right.data === undefined) return members;
  return [...members, ...vertexDifferences(left.data, right.data), ...edgeDifferences(left.data, right.data)];
}

function vertexDifferences(left: unknown, right: unknown): FlowDifference[] {
  const [before, after] = [verticesOf(left), verticesOf(right)];
  const removed = [...before.keys()].filter((id) => !after.has(id));
  return [
    ...removed.map((id): FlowDifference => ({ kind: 'removed', place: `vertex ${id}` })),
    ...[...after].flatMap(([id, fields]): FlowDifference[] => {
      const old = before.get(id);
      if (old === undefined) return [{ kind: 'added', place: `vertex ${id}` }];
      const names = new Set([...old.keys(), ...fields.keys()]);
      return [...names]
        .filter((name) => old.get(name) !== fields.get(name))
        .map((name): FlowDifference => ({ kind: 'changed', place: `field ${id}.${name}` }));
    }),
  ];
}

/** Returns the fields of each vertex as JSON texts, by vertex and name. */
function verticesOf(data: unknown): Map<string, Map<string, string>> {
  return new Map(listOf(data, 'nodes').map((node) => [String(node['id']), fieldsOf(node)]));
}

function fieldsOf(node: Json): Map<string, string> {
  const template = memberOf(memberOf(memberOf(node, 'data'), 'node'), 'template');
  return new Map(
    Object.entries(template).flatMap(([name, field]) =>
      isJson(field) && field['password'] !== true && field['_input_type'] !== 'SecretStrInput'
        ? [[name, jsonOf(field)] as const]
        : [],
    ),
  );
}

/** Returns the value of a field as a JSON text. Exports split code into lines, which are the same code. */
function jsonOf({ type, value = null }: Json): string {
  return JSON.stringify(type === 'code' && Array.isArray(value) ? value.join('\n') : value);
}

function edgeDifferences(left: unknown, right: unknown): FlowDifference[] {
  const [before, after] = [edgesOf(left), edgesOf(right)];
  return [
    ...[...before]
      .filter((edge) => !after.has(edge))
      .map((edge) => ({ kind: 'removed' as const, place: `edge ${edge}` })),
    ...[...after]
      .filter((edge) => !before.has(edge))
      .map((edge) => ({ kind: 'added' as const, place: `edge ${edge}` })),
  ];
}

function edgesOf(data: unknown): ReadonlySet<string> {
  return new Set(
    listOf(data, 'edges').map((edge) => {
      const ends = memberOf(edge, 'data');
      const output = memberOf(ends, 'sourceHandle')['name'] ?? '';
      const field = memberOf(ends, 'targetHandle')['fieldName'] ?? '';
      return `${String(edge['source'])}.${String(output)} -> ${String(edge['target'])}.${String(field)}`;
    }),
  );
}

function listOf(data: unknown, name: string): readonly Json[] {
  const list = isJson(data) ? data[name] : undefined;
  return Array.isArray(list) ? list.filter(isJson) : [];
}

function memberOf(value: unknown, name: string): Json {
  const member = isJson(value) ? value[name] : undefined;
  return isJson(member) ? member : {};
}

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
