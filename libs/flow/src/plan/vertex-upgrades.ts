import type { FlowEdge } from '../document/flow-document';
import type { ComponentNode } from './compile-edges';
import type { PlanEdge } from './plan';

/**
 * What of a node was read as today's component has it: its type, outputs it did not save, wires that name none or one
 * that is gone.
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
    ...(component.type === node.type ? [] : [`type "${node.type}" is "${component.type}" here`]),
    ...(node.outputs.length > 0 ? [] : ['it was saved without outputs']),
    ...[...after].map((output) => `a wire that named another output, or none, starts at "${output}"`),
  ];
}
