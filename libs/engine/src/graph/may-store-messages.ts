import { toolOutput } from '@millrace/flow';
import type { Plan, PlanEdge, RunScope } from '@millrace/flow';
import { isTool } from '../vertices/vertex-tools';

/**
 * Returns whether a vertex of a scope can store messages while it runs: directly, in the body of a loop, or through its
 * tools. A vertex that is a tool stores messages only when others call it.
 */
export function mayStoreMessages(plan: Plan, scope: RunScope, index: number): boolean {
  const vertex = plan.vertices[index];
  if (vertex === undefined || isTool(vertex)) return false;
  if (vertex.component?.storesMessages === true) return true;
  const body = scope.bodies.get(index)?.scope;
  if (body?.vertices.some((inner) => mayStoreMessages(plan, body, inner)) === true) return true;
  const visited = new Set<number>();
  return vertex.incoming.some((edge) => providesStoringTools(plan, edge, visited));
}

function providesStoringTools(plan: Plan, { source, sourceOutput }: PlanEdge, visited: Set<number>): boolean {
  const vertex = plan.vertices[source];
  if (vertex?.component == null) return false;
  const { component } = vertex;
  const isToolOutput =
    sourceOutput === toolOutput || component.outputs[sourceOutput]?.types.includes('Tool') === true;
  if (!isToolOutput || visited.has(source)) return false;
  visited.add(source);
  return (
    component.storesMessages === true ||
    vertex.incoming.some((edge) => providesStoringTools(plan, edge, visited))
  );
}
