import { checkCounts, documentBounds } from './document-bounds';
import type { JsonObject } from './json-object';
import { isJsonObject, listMember, member, objectMember, textMember } from './json-object';

interface RawGraph {
  readonly nodes: readonly JsonObject[];
  readonly edges: readonly JsonObject[];
}

/** A group, for looking up its outputs. */
interface Contents {
  readonly group: JsonObject;
  /** By name; of equal names the first. */
  readonly outputs: ReadonlyMap<string, JsonObject>;
  /** Positions of the inner nodes by id; of equal ids the first. */
  readonly positions: ReadonlyMap<string, number>;
  readonly idLengths: ReadonlySet<number>;
  readonly lastId: string;
}

/**
 * Replaces every group by its contents: inner nodes get the values set on the group, and edges of the group are
 * redirected to the inner nodes. Groups can be nested. Does not modify the input. Throws InvalidFlowError when the contents are too many.
 */
export function flattenGroups(graph: RawGraph): RawGraph {
  let nodes = graph.nodes;
  let edges = graph.edges;
  // Each round flattens the groups of one level. The depth is checked before, so the loop ends.
  for (let round = 0; round < documentBounds.depth; round += 1) {
    const groups = nodes.filter(isGroup);
    if (groups.length === 0) break;
    const sum = (list: string) =>
      groups.reduce((total, group) => total + listMember(innerData(group), list).length, 0);
    checkCounts(nodes.length - groups.length + sum('nodes'), edges.length + sum('edges'));
    const groupsById = new Map(groups.map((group) => [textMember(group, 'id'), contentsOf(group)]));
    nodes = [...nodes.filter((node) => !isGroup(node)), ...groups.flatMap(innerNodes)];
    edges = [
      ...groups.flatMap((group) => objects(listMember(innerData(group), 'edges'))),
      ...edges.map((edge) => redirect(edge, groupsById)),
    ];
  }
  return { nodes, edges };
}

function isGroup(node: JsonObject): boolean {
  return isJsonObject(member(groupBody(node), 'flow'));
}

function groupBody(node: JsonObject): JsonObject {
  return objectMember(objectMember(node, 'data'), 'node');
}

function innerData(group: JsonObject): JsonObject {
  return objectMember(objectMember(groupBody(group), 'flow'), 'data');
}

function objects(list: readonly unknown[]): readonly JsonObject[] {
  return list.filter(isJsonObject);
}

/** Returns the group's nodes with the values that were set on the group. */
function innerNodes(group: JsonObject): readonly JsonObject[] {
  const values = new Map<string, Map<string, JsonObject>>();
  for (const field of Object.values(objectMember(groupBody(group), 'template'))) {
    if (!isJsonObject(field)) continue;
    const proxy = objectMember(field, 'proxy');
    const id = textMember(proxy, 'id');
    if (!values.has(id)) values.set(id, new Map());
    values.get(id)?.set(textMember(proxy, 'field'), field);
  }
  return objects(listMember(innerData(group), 'nodes')).map((node) => {
    const overrides = values.get(textMember(node, 'id'));
    return overrides === undefined ? node : withFields(node, overrides);
  });
}

function withFields(node: JsonObject, overrides: ReadonlyMap<string, JsonObject>): JsonObject {
  const data = objectMember(node, 'data');
  const body = objectMember(data, 'node');
  const template = Object.entries(objectMember(body, 'template')).map(([name, entry]) => {
    const override = overrides.get(name);
    if (override === undefined || !isJsonObject(entry)) return [name, entry];
    // The value comes from the group; visibility and proxy come from the inner field.
    return [name, { ...override, show: entry['show'], proxy: entry['proxy'] }];
  });
  return { ...node, data: { ...data, node: { ...body, template: Object.fromEntries(template) } } };
}

function contentsOf(group: JsonObject): Contents {
  const ids = objects(listMember(innerData(group), 'nodes')).map((node) => textMember(node, 'id'));
  const positions = new Map<string, number>();
  for (const [position, id] of ids.entries()) if (!positions.has(id)) positions.set(id, position);
  const named = objects(listMember(groupBody(group), 'outputs')).map(
    (output) => [textMember(output, 'name'), output] as const,
  );
  const outputs = new Map(named.toReversed());
  return {
    group,
    outputs,
    positions,
    idLengths: new Set(ids.map((id) => id.length)),
    lastId: ids.at(-1) ?? '',
  };
}

/** Returns the edge with ends at groups redirected to the inner nodes. */
function redirect(edge: JsonObject, groupsById: ReadonlyMap<string, Contents>): JsonObject {
  const source = groupsById.get(textMember(edge, 'source'));
  const target = groupsById.get(textMember(edge, 'target'));
  const moved = target === undefined ? edge : redirectTarget(edge, target.group);
  return source === undefined ? moved : redirectSource(moved, source);
}

function redirectTarget(edge: JsonObject, group: JsonObject): JsonObject {
  const data = objectMember(edge, 'data');
  const handle = objectMember(data, 'targetHandle');
  const field = objectMember(objectMember(groupBody(group), 'template'), textMember(handle, 'fieldName'));
  const saved = objectMember(field, 'proxy');
  const proxy = textMember(saved, 'id') === '' ? objectMember(handle, 'proxy') : saved;
  const id = textMember(proxy, 'id');
  const targetHandle = { ...handle, id, fieldName: textMember(proxy, 'field'), proxy: undefined };
  return { ...edge, target: id, data: { ...data, targetHandle } };
}

function redirectSource(edge: JsonObject, group: Contents): JsonObject {
  const data = objectMember(edge, 'data');
  const handle = objectMember(data, 'sourceHandle');
  const { id, name } = innerOutput(group, textMember(handle, 'name'));
  return { ...edge, source: id, data: { ...data, sourceHandle: { ...handle, id, name } } };
}

/**
 * Finds the inner node and output for an output of the group: by its proxy, else by its name `<inner id>_<output>`,
 * else the output of that name of the last inner node.
 */
function innerOutput(
  { outputs, positions, idLengths, lastId }: Contents,
  name: string,
): { readonly id: string; readonly name: string } {
  const output = outputs.get(name);
  const proxy = output === undefined ? {} : objectMember(output, 'proxy');
  const proxied = textMember(proxy, 'id');
  if (proxied !== '') return { id: proxied, name: textMember(proxy, 'name') };
  let prefix: string | undefined;
  let first = Infinity;
  for (let end = name.indexOf('_'); end >= 0; end = name.indexOf('_', end + 1)) {
    if (!idLengths.has(end)) continue;
    const id = name.slice(0, end);
    const position = positions.get(id) ?? Infinity;
    if (position < first) [prefix, first] = [id, position];
  }
  return prefix === undefined ? { id: lastId, name } : { id: prefix, name: name.slice(prefix.length + 1) };
}
