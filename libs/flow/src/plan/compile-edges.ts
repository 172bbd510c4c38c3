import type { Component } from '../component/component';
import { toolOutput } from '../component/component-tools';
import type { FlowEdge, FlowNode } from '../document/flow-document';
import type { FlowProblem, PlanEdge } from './plan';

/** A node with the component that runs it. */
export interface ComponentNode {
  readonly node: FlowNode;
  readonly component: Component | null;
}

/** Turns wires into indexes, in the order of the file. Wires whose types do not fit are kept and named. */
export function compileEdges(
  nodes: readonly ComponentNode[],
  edges: readonly FlowEdge[],
  problems: FlowProblem[],
): readonly PlanEdge[] {
  const indexes = new Map(nodes.map(({ node }, index) => [node.id, index]));
  return edges.flatMap((edge) => {
    const source = indexes.get(edge.sourceId);
    const target = indexes.get(edge.targetId);
    const sourceNode = source === undefined ? undefined : nodes[source];
    if (source === undefined || target === undefined || sourceNode === undefined) return [];
    const sourceOutput = outputName(edge, sourceNode);
    if (sourceOutput === '' || edge.targetField === '' || edge.targetField.startsWith('_')) {
      problems.push(edgeProblem(edge, 'names no output or no field and is left out'));
      return [];
    }
    if (!typesFit(edge)) problems.push(edgeProblem(edge, 'joins types that do not fit'));
    return [{ source, target, sourceOutput, targetField: edge.targetField }];
  });
}

/**
 * The output a wire starts at. Old files name none, or a name the component has since given up: with a single output
 * it is clear which is meant. A node in tool mode has an output of its own.
 */
function outputName(edge: FlowEdge, { node, component }: ComponentNode): string {
  if (edge.sourceOutput === toolOutput) return toolOutput;
  const known = component === null ? node.outputs : Object.keys(component.outputs);
  if (known.includes(edge.sourceOutput) || node.outputs.includes(edge.sourceOutput)) {
    return component !== null && known.length === 1 ? (known[0] ?? '') : edge.sourceOutput;
  }
  return known.length === 1 || edge.sourceOutput === '' ? (known[0] ?? '') : edge.sourceOutput;
}

function typesFit({ sourceTypes, targetTypes }: FlowEdge): boolean {
  if (sourceTypes.length === 0 || targetTypes.length === 0) return true;
  const accepted = new Set(targetTypes.map(currentTypeName));
  return sourceTypes.some((type) => accepted.has(currentTypeName(type)));
}

/** Data and DataFrame are called JSON and Table since 1.9; both names mean the same. */
function currentTypeName(type: string): string {
  if (type === 'Data') return 'JSON';
  return type === 'DataFrame' ? 'Table' : type;
}

function edgeProblem(edge: FlowEdge, what: string): FlowProblem {
  return {
    code: 'invalid_edge',
    blocks: false,
    vertexId: edge.targetId,
    componentType: null,
    message: `The edge from "${edge.sourceId}" to "${edge.targetId}" ${what}.`,
  };
}
