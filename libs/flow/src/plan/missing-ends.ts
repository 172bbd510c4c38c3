import { toolOutput } from '../component/component-tools';
import type { FlowProblem } from '../document/flow-problem';
import { findMissingParts } from './missing-parts';
import type { PlanEdge } from './plan';
import type { ResolvedNode } from './resolve-node';

/**
 * Reports what a flow names and a run does not find: the ends of edges that neither the component nor the node has, and the
 * fields of a node without code, which its author wrote, that the component does not declare. Components that run in Python
 * know their parts themselves.
 */
export function findMissingEnds(
  nodes: readonly ResolvedNode[],
  edges: readonly PlanEdge[],
): readonly FlowProblem[] {
  return [
    ...edges.flatMap((edge) => [...missingOutput(nodes, edge), ...missingField(nodes, edge)]),
    ...nodes.flatMap((node) => undeclaredFields(node)),
  ];
}

function missingOutput(nodes: readonly ResolvedNode[], edge: PlanEdge): readonly FlowProblem[] {
  const [from, to] = [nodes[edge.source], nodes[edge.target]];
  const output = edge.sourceOutput;
  if (!isNative(from) || to === undefined || output === toolOutput) return [];
  if (Object.hasOwn(from.component.outputs, output) || from.node.outputs.includes(output)) return [];
  return [
    problem(
      from,
      `It has no output "${output}": the edge from there to "${to.node.id}" fails the run that reaches it.`,
    ),
  ];
}

function missingField(nodes: readonly ResolvedNode[], edge: PlanEdge): readonly FlowProblem[] {
  const [from, to] = [nodes[edge.source], nodes[edge.target]];
  const field = edge.targetField;
  if (!isNative(to) || from === undefined || isDeclared(to, field) || to.node.fields.has(field)) return [];
  return [problem(to, `It has no field "${field}": the edge from "${from.node.id}" to there has no effect.`)];
}

function undeclaredFields(resolved: ResolvedNode): readonly FlowProblem[] {
  if (!isNative(resolved) || resolved.node.code.hash !== '') return [];
  const { node, component } = resolved;
  return findMissingParts(node, component, new Set())
    .fields.filter((field) => !TOOL_FIELDS.has(field))
    .map((field) => ({
      code: 'unknown_field' as const,
      blocks: false,
      vertexId: node.id,
      componentType: node.type,
      message: `"${node.id}" has a value for "${field}", which is no field of ${component.type}.`,
    }));
}

/** Fields of every node in tool mode, which no component declares. */
const TOOL_FIELDS: ReadonlySet<string> = new Set(['tools_metadata', 'tool_mode']);

type NativeNode = ResolvedNode & { readonly component: NonNullable<ResolvedNode['component']> };

function isNative(resolved: ResolvedNode | undefined): resolved is NativeNode {
  return resolved !== undefined && resolved.component !== null && resolved.python === null;
}

function isDeclared({ node, component }: NativeNode, field: string): boolean {
  return Object.hasOwn(component.inputs, field) || node.customFields.has(field);
}

function problem({ node }: NativeNode, message: string): FlowProblem {
  return { code: 'missing_part', blocks: false, vertexId: node.id, componentType: node.type, message };
}
