import { componentTools, toolOutput } from '@millrace/flow';
import type { ComponentContext, ComponentOutputs, PlanVertex } from '@millrace/flow';
import type { VertexValues } from '../run/given-values';

/** Returns true for a vertex that is passed to others as tools, instead of being run. */
export function isTool(vertex: PlanVertex): boolean {
  return vertex.wanted.includes(toolOutput) && vertex.component?.outputs[toolOutput] === undefined;
}

/** Returns the output of such a vertex: its tools, each of which calls `begin` and runs the component. */
export function vertexTools(
  component: NonNullable<PlanVertex['component']>,
  vertex: PlanVertex,
  values: VertexValues,
  context: ComponentContext,
  begin: () => void,
): ComponentOutputs {
  const tools = componentTools(component, {
    inputs: values.inputs,
    connected: new Set(vertex.connected.map(({ name }) => name)),
    table: values.fields()['tools_metadata'] ?? null,
    context,
    begin,
  });
  return { [toolOutput]: tools };
}
