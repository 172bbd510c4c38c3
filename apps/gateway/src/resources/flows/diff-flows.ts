import { isDeepStrictEqual } from 'node:util';
import { isRecord } from '../../http/bodies/parse-json';
import { isSecretField } from './without-secrets';

/** Longer values are shortened: a difference is for readers. */
const MAXIMUM_VALUE_LENGTH = 1_000;
/** Members of a node that are compared by themselves. */
const COMPARED_APART = new Set(['template', 'flow']);

type JsonRecord = Readonly<Record<string, unknown>>;

interface ComparedVertex {
  readonly id: string;
  readonly type: string;
  readonly display_name: string;
}

interface ChangedField {
  readonly name: string;
  readonly change: 'added' | 'removed' | 'changed';
  /** The values; null for secrets, and where only other members differ. */
  readonly before: unknown;
  readonly after: unknown;
  readonly secret: boolean;
  /** A value is longer than what is shown. */
  readonly shortened: boolean;
  /** Names of the members that differ. */
  readonly members: readonly string[];
}

interface ChangedVertex extends ComparedVertex {
  readonly members: readonly string[];
  readonly fields: readonly ChangedField[];
}

interface ComparedEdge {
  readonly source: string;
  readonly output: string | null;
  readonly target: string;
  readonly input: string | null;
}

/** What differs between two documents. Positions and other members of the layout are not compared. */
export interface FlowDiff {
  readonly vertices: {
    readonly added: readonly ComparedVertex[];
    readonly removed: readonly ComparedVertex[];
    readonly changed: readonly ChangedVertex[];
  };
  readonly edges: { readonly added: readonly ComparedEdge[]; readonly removed: readonly ComparedEdge[] };
}

/** Compares two documents of a flow: vertices by their ids, also inside groups, and edges by what they connect. */
export function diffFlows(before: unknown, after: unknown): FlowDiff {
  const [old, now] = [partsOf(before), partsOf(after)];
  const common = [...now.nodes].filter(([id]) => old.nodes.has(id));
  return {
    vertices: {
      added: missingIn(old.nodes, now.nodes).map(([id, node]) => vertexOf(id, node)),
      removed: missingIn(now.nodes, old.nodes).map(([id, node]) => vertexOf(id, node)),
      changed: common.flatMap(([id, node]) => changedVertex(id, old.nodes.get(id) ?? {}, node)),
    },
    edges: {
      added: missingIn(old.edges, now.edges).map(([, edge]) => edge),
      removed: missingIn(now.edges, old.edges).map(([, edge]) => edge),
    },
  };
}

interface Parts {
  readonly nodes: Map<string, JsonRecord>;
  readonly edges: Map<string, ComparedEdge>;
}

function partsOf(document: unknown, parts: Parts = { nodes: new Map(), edges: new Map() }): Parts {
  const { nodes, edges } = recordOf(document);
  for (const node of listOf(nodes)) {
    if (node['type'] === 'noteNode') continue;
    parts.nodes.set(String(node['id']), node);
    partsOf(recordOf(bodyOf(node)['flow'])['data'], parts);
  }
  for (const edge of listOf(edges)) {
    const compared = edgeOf(edge);
    parts.edges.set(JSON.stringify(Object.values(compared)), compared);
  }
  return parts;
}

function missingIn<Value>(
  these: ReadonlyMap<string, Value>,
  those: ReadonlyMap<string, Value>,
): (readonly [string, Value])[] {
  return [...those].filter(([key]) => !these.has(key));
}

function changedVertex(id: string, before: JsonRecord, after: JsonRecord): ChangedVertex[] {
  const [old, now] = [bodyOf(before), bodyOf(after)];
  const members = differing(old, now).filter((name) => !COMPARED_APART.has(name));
  if (typeOf(before) !== typeOf(after)) members.unshift('type');
  const [oldFields, nowFields] = [recordOf(old['template']), recordOf(now['template'])];
  const fields = differing(oldFields, nowFields).map((name) =>
    changedField(name, oldFields[name], nowFields[name]),
  );
  return members.length + fields.length === 0 ? [] : [{ ...vertexOf(id, after), members, fields }];
}

function changedField(name: string, before: unknown, after: unknown): ChangedField {
  const [old, now] = [asField(before), asField(after)];
  const members = differing(old, now);
  const isSecret = isSecretField(before) || isSecretField(after);
  const isShown = !isSecret && (members.includes('value') || members.includes('load_from_db'));
  const values = [old, now].map((field) => (isShown ? shown(field['value']) : NOT_SHOWN));
  return {
    name,
    change: before === undefined ? 'added' : after === undefined ? 'removed' : 'changed',
    before: values[0]?.value,
    after: values[1]?.value,
    secret: isSecret,
    shortened: values.some(({ shortened }) => shortened),
    members,
  };
}

const NOT_SHOWN = { value: null, shortened: false } as const;

function shown(value: unknown): { readonly value: unknown; readonly shortened: boolean } {
  if (value === undefined) return NOT_SHOWN;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length <= MAXIMUM_VALUE_LENGTH
    ? { value, shortened: false }
    : { value: text.slice(0, MAXIMUM_VALUE_LENGTH), shortened: true };
}

/** Returns the names of the members that differ, in the order of the second object. */
function differing(before: JsonRecord, after: JsonRecord): string[] {
  const names = new Set([...Object.keys(after), ...Object.keys(before)]);
  return [...names].filter((name) => !isDeepStrictEqual(before[name], after[name]));
}

function vertexOf(id: string, node: JsonRecord): ComparedVertex {
  const name = bodyOf(node)['display_name'];
  return { id, type: typeOf(node), display_name: typeof name === 'string' ? name : '' };
}

function typeOf(node: JsonRecord): string {
  const type = recordOf(node['data'])['type'];
  return typeof type === 'string' ? type : '';
}

function edgeOf(edge: JsonRecord): ComparedEdge {
  const { sourceHandle, targetHandle } = recordOf(edge['data']);
  return {
    source: String(edge['source']),
    output: textOf(recordOf(sourceHandle)['name']) ?? textOf(edge['sourceHandle']),
    target: String(edge['target']),
    input: textOf(recordOf(targetHandle)['fieldName']) ?? textOf(edge['targetHandle']),
  };
}

/** The component in a node. */
function bodyOf(node: JsonRecord): JsonRecord {
  return recordOf(recordOf(node['data'])['node']);
}

/** A template can have members that are no fields, such as `_type`. */
function asField(value: unknown): JsonRecord {
  return isRecord(value) ? value : value === undefined ? {} : { value };
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function listOf(value: unknown): readonly JsonRecord[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function recordOf(value: unknown): JsonRecord {
  return isRecord(value) ? value : {};
}
