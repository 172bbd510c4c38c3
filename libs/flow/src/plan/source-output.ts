import { toolOutput } from '../component/component-tools';
import type { FlowEdge } from '../document/flow-document';
import type { ComponentNode } from './component-node';

/**
 * Returns the output at which an edge starts; empty when it cannot be determined. Old files name no output, or one that
 * the component no longer has: a component with a single output is unambiguous, and if the file names none, the types
 * of the edge's ends decide, as in Langflow's editor. A node in tool mode has a separate output.
 */
export function sourceOutput(edge: FlowEdge, { node, component }: ComponentNode): string {
  if (edge.sourceOutput === toolOutput) return toolOutput;
  const known = component === null ? node.outputs : Object.keys(component.outputs);
  if (known.includes(edge.sourceOutput) || node.outputs.includes(edge.sourceOutput)) {
    return component !== null && known.length === 1 ? (known[0] ?? '') : edge.sourceOutput;
  }
  if (known.length === 1) return known[0] ?? '';
  return edge.sourceOutput === '' ? (outputOfTypes(edge, { node, component }) ?? '') : edge.sourceOutput;
}

/** Returns the first output with one of the edge's types; the first of all when none matches. */
function outputOfTypes(edge: FlowEdge, { node, component }: ComponentNode): string | undefined {
  if (component === null) return node.outputs[0];
  const outputs = Object.entries(component.outputs);
  for (const drawnFor of [edge.sourceTypes, edge.targetTypes]) {
    const wanted = new Set(drawnFor.map(currentTypeName));
    const found = outputs.find(([, { types }]) => types.some((type) => wanted.has(currentTypeName(type))));
    if (found !== undefined) return found[0];
  }
  return outputs[0]?.[0];
}

const currentNames: Readonly<Record<string, string>> = {
  Text: 'Message',
  Record: 'JSON',
  Data: 'JSON',
  DataFrame: 'Table',
};

/**
 * Returns the current name of a type: Data and DataFrame are JSON and Table since 1.9; Text and Record are names from
 * before 1.0.
 */
export function currentTypeName(type: string): string {
  return Object.hasOwn(currentNames, type) ? (currentNames[type] ?? type) : type;
}
