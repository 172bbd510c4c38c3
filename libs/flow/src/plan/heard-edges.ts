import type { ComponentNode } from './compile-edges';
import type { PlanEdge } from './plan';
import { reached } from './reached';

/** The wires that nobody has drawn: see `Component.hears`. One that would lead back to where it starts is left out. */
export function heardEdges(nodes: readonly ComponentNode[], edges: readonly PlanEdge[]): readonly PlanEdge[] {
  const heard: PlanEdge[] = [];
  for (const [target, { node, component }] of nodes.entries()) {
    if (component?.hears === undefined) continue;
    const { type, output, input, field } = component.hears;
    const key = node.fields.get(field)?.value;
    if (typeof key !== 'string' || key === '') continue;
    for (const [source, other] of nodes.entries()) {
      if (other.component?.type !== type || other.node.fields.get(field)?.value !== key) continue;
      const wires = [...edges, ...heard];
      const following = reached([target], (index) =>
        wires.filter((edge) => edge.source === index).map((edge) => edge.target),
      );
      if (!following.has(source)) heard.push({ source, target, sourceOutput: output, targetField: input });
    }
  }
  return heard;
}
