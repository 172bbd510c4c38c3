import { toolOutput } from '../component/component-tools';
import type { FlowEdge } from '../document/flow-document';
import { textListMember } from '../document/json-object';
import type { ComponentNode } from './component-node';

/**
 * Returns the output at which an edge starts; empty when it cannot be determined. Old files name no output, or one that
 * the component no longer has: a component with a single output is unambiguous, and if the file names none, the types
 * of the edge's ends decide, as in Langflow's editor. A node in tool mode has a separate output. Some files save an output
 * under the name of another one: its saved types decide then.
 */
export function sourceOutput(edge: FlowEdge, { node, component }: ComponentNode): string {
  if (edge.sourceOutput === toolOutput) return toolOutput;
  const known = component === null ? node.outputs : Object.keys(component.outputs);
  if (known.includes(edge.sourceOutput) || node.outputs.includes(edge.sourceOutput)) {
    if (component !== null && known.length === 1) return known[0] ?? '';
    return outputOfSavedTypes(edge, { node, component }) ?? edge.sourceOutput;
  }
  if (known.length === 1) return known[0] ?? '';
  return edge.sourceOutput === '' ? (outputOfTypes(edge, { node, component }) ?? '') : edge.sourceOutput;
}

/**
 * Returns the output of the component that has one of the types with which the file saves the edge's output; undefined when
 * the output of that name has one of them, or no other has. Outputs that the file saves under their own names are left
 * out: there the types of the edge's output have changed since, as those of Loop.
 */
function outputOfSavedTypes({ sourceOutput: name }: FlowEdge, { node, component }: ComponentNode) {
  const saved = node.savedOutputs.find((output) => output['name'] === name);
  if (component === null || saved === undefined || !Object.hasOwn(component.outputs, name)) return undefined;
  const wanted = new Set(textListMember(saved, 'types').map(currentTypeName));
  const hasWanted = (output: string) =>
    component.outputs[output]?.types.some((type) => wanted.has(currentTypeName(type))) === true;
  if (hasWanted(name)) return undefined;
  return Object.keys(component.outputs).find((output) => !node.outputs.includes(output) && hasWanted(output));
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
