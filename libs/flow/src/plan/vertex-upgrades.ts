import type { FlowEdge } from '../document/flow-document';
import type { ComponentNode } from './component-node';
import type { PlanEdge } from './plan';

/**
 * Returns which parts of a node were converted to the current component: its type, outputs that it did not save, edges
 * that name no output or one that no longer exists.
 */
export function vertexUpgrades(
  { node, component }: ComponentNode,
  saved: readonly FlowEdge[],
  outgoing: readonly PlanEdge[],
): readonly string[] {
  if (component === null) return [];
  const before = new Set(
    saved.filter(({ sourceId }) => sourceId === node.id).map(({ sourceOutput }) => sourceOutput),
  );
  const after = new Set(
    outgoing.map(({ sourceOutput }) => sourceOutput).filter((output) => !before.has(output)),
  );
  return [
    ...(component.type === node.type ? [] : [`type "${node.type}" is implemented by "${component.type}"`]),
    ...(node.outputs.length > 0 ? [] : ['it was saved without outputs']),
    ...[...after].map((output) => `an edge that named another output, or none, starts at "${output}"`),
  ];
}
