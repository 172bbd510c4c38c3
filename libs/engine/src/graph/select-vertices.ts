import { RESPOND_TYPE } from '@millrace/flow';
import type { OutputSelection, Plan, PlanVertex } from '@millrace/flow';

/** Returns the vertices whose results the caller selected, in node order, executed or not. */
export function selectVertices(plan: Plan, selection: OutputSelection): readonly PlanVertex[] {
  const { vertices } = plan;
  switch (selection.by) {
    case 'component':
      return vertices.filter((vertex) => isNamed(vertex, selection.component));
    case 'list':
      return selection.outputs.length === 0
        ? vertices.filter((vertex) => vertex.isOutput)
        : vertices.filter((vertex) => selection.outputs.some((output) => isNamed(vertex, output)));
    case 'type':
      return ofType(vertices, selection.type);
  }
}

function isNamed(vertex: PlanVertex, name: string): boolean {
  return vertex.id === name || vertex.displayName === name;
}

/**
 * As in Langflow: output vertices whose id contains the type, or every output vertex when none does. A Respond vertex,
 * which Langflow does not have, is always among them.
 */
function ofType(
  vertices: readonly PlanVertex[],
  type: 'chat' | 'text' | 'any' | 'debug',
): readonly PlanVertex[] {
  if (type === 'debug') return vertices;
  const outputs = vertices.filter((vertex) => vertex.isOutput);
  if (type === 'any') return outputs;
  const isMatching = (vertex: PlanVertex) => vertex.id.toLowerCase().includes(type);
  if (!outputs.some(isMatching)) return outputs;
  return outputs.filter((vertex) => isMatching(vertex) || vertex.component?.type === RESPOND_TYPE);
}
