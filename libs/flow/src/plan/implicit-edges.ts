import type { ComponentNode } from './component-node';
import type { PlanEdge } from './plan';
import { reachableFrom } from './reachable-from';

/**
 * Returns the implicit edges that components declare (see `Component`). An edge that would close a cycle is omitted.
 */
export function findImplicitEdges(
  nodes: readonly ComponentNode[],
  edges: readonly PlanEdge[],
): readonly PlanEdge[] {
  const implicit: PlanEdge[] = [];
  const followers = new Map<number, number[]>();
  const follow = ({ source, target }: PlanEdge): void => {
    const known = followers.get(source);
    if (known === undefined) followers.set(source, [target]);
    else known.push(target);
  };
  edges.forEach(follow);
  for (const [target, { node, component }] of nodes.entries()) {
    if (component?.implicitEdge === undefined) continue;
    const { type, output, input, field } = component.implicitEdge;
    const key = node.fields.get(field)?.value;
    if (typeof key !== 'string' || key === '') continue;
    // An edge into the target from a vertex that does not follow it leaves the followers of the target unchanged.
    const following = reachableFrom([target], (index) => followers.get(index) ?? []);
    for (const [source, other] of nodes.entries()) {
      if (other.component?.type !== type || other.node.fields.get(field)?.value !== key) continue;
      if (following.has(source)) continue;
      const edge = { source, target, sourceOutput: output, targetField: input };
      implicit.push(edge);
      follow(edge);
    }
  }
  return implicit;
}
