import type { ComponentNode } from './compile-edges';
import type { PlanEdge } from './plan';
import { reached } from './reached';

/** The wires that nobody has drawn: see `Component.hears`. One that would lead back to where it starts is left out. */
export function heardEdges(nodes: readonly ComponentNode[], edges: readonly PlanEdge[]): readonly PlanEdge[] {
  const heard: PlanEdge[] = [];
  const followers = new Map<number, number[]>();
  const follow = ({ source, target }: PlanEdge): void => {
    const known = followers.get(source);
    if (known === undefined) followers.set(source, [target]);
    else known.push(target);
  };
  edges.forEach(follow);
  for (const [target, { node, component }] of nodes.entries()) {
    if (component?.hears === undefined) continue;
    const { type, output, input, field } = component.hears;
    const key = node.fields.get(field)?.value;
    if (typeof key !== 'string' || key === '') continue;
    // A wire into the target from what does not follow it leaves what follows it as it is.
    const following = reached([target], (index) => followers.get(index) ?? []);
    for (const [source, other] of nodes.entries()) {
      if (other.component?.type !== type || other.node.fields.get(field)?.value !== key) continue;
      if (following.has(source)) continue;
      const edge = { source, target, sourceOutput: output, targetField: input };
      heard.push(edge);
      follow(edge);
    }
  }
  return heard;
}
