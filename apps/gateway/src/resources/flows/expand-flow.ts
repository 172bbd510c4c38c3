import type { Component, ComponentRegistry, Input, Output } from '@millrace/flow';
import { HttpError } from '@millrace/http';
import type { CompactEdge, CompactFlow, CompactNode } from './compact-flow-body';

type Members = Readonly<Record<string, unknown>>;

interface ExpandedNode {
  readonly id: string;
  readonly type: 'genericNode';
  readonly data: { readonly type: string; readonly node: Members; readonly id: string };
}

/** Langflow's type of a field, where it is not that of a text. */
const fieldTypes: Readonly<Record<string, string>> = {
  Prompt: 'prompt',
  Code: 'code',
  Bool: 'bool',
  Int: 'int',
  Float: 'float',
  Slider: 'slider',
  Dict: 'dict',
  NestedDict: 'NestedDict',
  File: 'file',
  SortableList: 'sortableList',
  Table: 'table',
  Model: 'model',
  Data: 'other',
  DataFrame: 'other',
  Handle: 'other',
};

/**
 * Writes a compact flow as a flow file: nodes with the fields, defaults and outputs of their components, edges with their
 * handles. Throws invalid_value, with Langflow's texts, for a component or node that does not exist.
 */
export function expandFlow(
  { nodes, edges }: CompactFlow,
  registry: Pick<ComponentRegistry, 'find'>,
): { readonly nodes: readonly ExpandedNode[]; readonly edges: readonly Members[] } {
  const expanded = new Map(nodes.map((node) => [node.id, expandNode(node, registry)]));
  return { nodes: [...expanded.values()], edges: edges.map((edge) => expandEdge(edge, expanded)) };
}

function expandNode(
  { id, type, values = {}, edited = false, node }: CompactNode,
  registry: Pick<ComponentRegistry, 'find'>,
): ExpandedNode {
  const make = (body: Members): ExpandedNode => ({ id, type: 'genericNode', data: { type, node: body, id } });
  if (edited) {
    if (!node || Object.keys(node).length === 0)
      throw new HttpError('invalid_value', `Node ${id} is marked as edited but has no node data`);
    return make(node);
  }
  const component = registry.find(type);
  if (component === undefined)
    throw new HttpError('invalid_value', `Component type '${type}' not found in component index`);
  const template = new Map<string, unknown>(Object.entries(templateOf(component)));
  for (const [name, value] of Object.entries(values)) {
    const field = template.get(name);
    template.set(name, isMembers(field) ? { ...field, value } : { value });
  }
  return make({ ...descriptionOf(component), template: Object.fromEntries(template) });
}

function descriptionOf({ displayName, description, inputs, outputs }: Component): Members {
  return {
    display_name: displayName,
    description,
    base_classes: [...new Set(Object.values(outputs).flatMap(({ types }) => types))],
    custom_fields: {},
    field_order: Object.keys(inputs),
    edited: false,
    frozen: false,
    tool_mode: false,
    output_types: [],
    outputs: Object.entries(outputs).map(([name, output]) => outputOf(name, output)),
  };
}

function templateOf({ inputs }: Component): Members {
  const fields = Object.entries(inputs).map(([name, input]) => [name, fieldOf(name, input)]);
  return { _type: 'Component', ...(Object.fromEntries(fields) as Members) };
}

function fieldOf(name: string, input: Input<unknown>): Members {
  return {
    _input_type: `${input.kind}Input`,
    name,
    display_name: input.displayName ?? name,
    info: input.description ?? '',
    type: fieldTypes[input.kind] ?? 'str',
    value: plainValue(input.default),
    required: input.required ?? false,
    advanced: input.advanced ?? false,
    list: input.list ?? false,
    password: input.password ?? false,
    tool_mode: input.tool ?? false,
    load_from_db: false,
    show: true,
    ...(input.inputTypes.length > 0 && { input_types: input.inputTypes }),
    ...(input.options && { options: input.options }),
  };
}

function outputOf(name: string, { types, displayName, method, loops }: Output): Members {
  return {
    name,
    display_name: displayName ?? name,
    types,
    selected: types[0] ?? null,
    ...(method !== undefined && { method }),
    allows_loop: loops ?? false,
    cache: true,
    tool_mode: true,
    value: '__UNDEFINED__',
  };
}

/** A default that a file can have; a message, data or a table that is a default is left out. */
function plainValue(value: unknown): unknown {
  const isPlain =
    value === null ||
    ['string', 'number', 'boolean'].includes(typeof value) ||
    Array.isArray(value) ||
    (typeof value === 'object' && Object.getPrototypeOf(value) === Object.prototype);
  return isPlain ? value : '';
}

function expandEdge(edge: CompactEdge, nodes: ReadonlyMap<string, ExpandedNode>): Members {
  const [source, target] = [nodes.get(edge.source), nodes.get(edge.target)];
  if (!source) throw new HttpError('invalid_value', `Source node '${edge.source}' not found`);
  if (!target) throw new HttpError('invalid_value', `Target node '${edge.target}' not found`);
  const sourceHandle = {
    dataType: source.data.type,
    id: edge.source,
    name: edge.source_output,
    output_types: outputTypes(source.data.node, edge.source_output),
  };
  const field = membersOf(membersOf(target.data.node['template'])[edge.target_input]);
  const type = typeof field['type'] === 'string' ? field['type'] : 'str';
  const inputTypes = listOf(field['input_types']);
  const targetHandle = {
    fieldName: edge.target_input,
    id: edge.target,
    inputTypes: inputTypes.length > 0 ? inputTypes : [type],
    type,
  };
  const [from, to] = [handleText(sourceHandle), handleText(targetHandle)];
  return {
    source: edge.source,
    sourceHandle: from,
    target: edge.target,
    targetHandle: to,
    id: `reactflow__edge-${edge.source}${from}-${edge.target}${to}`,
    data: { sourceHandle, targetHandle },
    className: '',
    selected: false,
    animated: false,
  };
}

/** The types of an output; those of the node where it has no such output. */
function outputTypes(node: Members, name: string): readonly unknown[] {
  const output = listOf(node['outputs']).find((candidate) => membersOf(candidate)['name'] === name);
  const types = listOf(membersOf(output)['types']);
  return types.length > 0 ? types : listOf(node['base_classes']);
}

/** The text form of a handle, with `œ` for quotation marks. */
function handleText(handle: object): string {
  return JSON.stringify(handle).replaceAll('"', 'œ');
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function membersOf(value: unknown): Members {
  return isMembers(value) ? value : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
