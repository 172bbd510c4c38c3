import type { ComponentNode } from './component-node';
import type { FlowEdge } from '../document/flow-document';
import type { PlanEdge } from './plan';
import type { FlowProblem } from '../document/flow-problem';
import { currentTypeName, sourceOutput as outputOf } from './source-output';

/**
 * Resolves the ends of edges to vertex indexes, in the order of the file. Edges with incompatible types are kept and
 * reported.
 */
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
    const sourceOutput = outputOf(edge, sourceNode);
    if (sourceOutput === '' || edge.targetField === '' || edge.targetField.startsWith('_')) {
      problems.push(edgeProblem(edge, 'names no output or no field and is ignored'));
      return [];
    }
    if (!areTypesCompatible(edge)) problems.push(edgeProblem(edge, 'connects incompatible types'));
    return [{ source, target, sourceOutput, targetField: edge.targetField }];
  });
}

function areTypesCompatible({ sourceTypes, targetTypes }: FlowEdge): boolean {
  if (sourceTypes.length === 0 || targetTypes.length === 0) return true;
  const accepted = new Set(targetTypes.map(currentTypeName));
  return sourceTypes.some((type) => accepted.has(currentTypeName(type)));
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
