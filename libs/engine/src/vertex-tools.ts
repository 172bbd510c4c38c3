import { componentTools, toolOutput } from '@millrace/flow';
import type { ComponentContext, ComponentOutputs, PlanVertex } from '@millrace/flow';
import type { VertexValues } from './vertex-values';

/** True for a vertex that is handed to others as tools, instead of being run. */
export function isTool(vertex: PlanVertex): boolean {
  return vertex.wanted.includes(toolOutput) && vertex.component?.outputs[toolOutput] === undefined;
}

/** The output of such a vertex: its tools, each of which runs the component when it is called, after `begin`. */
export function vertexTools(
  component: NonNullable<PlanVertex['component']>,
  vertex: PlanVertex,
  values: VertexValues,
  context: ComponentContext,
  begin: () => void,
): ComponentOutputs {
  const tools = componentTools(component, {
    inputs: values.inputs,
    wired: new Set(vertex.wired.map(({ name }) => name)),
    table: values.fields()['tools_metadata'] ?? null,
    context,
    begin,
  });
  return { [toolOutput]: tools };
}
