import { DataFrame, str } from '@millrace/python-text';
import type { PythonObject, PythonValue } from '@millrace/python-text';
import type { ToolHandle } from '../values/handle';
import { ComponentError } from '../errors';
import type { RunMoment } from '../run/run-moment';
import type { Component, Output } from './component';
import type { ComponentContext } from './component-context';
import { namedTools, namesTool, savedTools } from './saved-tools';
import type { ToolRow } from './saved-tools';
import { ToolContext } from './tool-context';
import { toolInputs, toolParameters } from './tool-parameters';
import { toolResult } from './tool-result';

/** The only output of a node in tool mode: its tools. */
export const toolOutput = 'component_as_tool';

/** What a component needs to be used as tools. */
export interface ToolComponentState {
  /** Values of all inputs, as `run` expects them; the arguments of a call replace them. */
  readonly inputs: Readonly<Record<string, unknown>>;
  /** Inputs that have an edge; arguments of a call do not replace them. */
  readonly connected: ReadonlySet<string>;
  /** The node's table of tools, which renames, describes and disables tools; null for a component without a node. */
  readonly table: PythonValue;
  readonly context: ComponentContext;
  /** Called before each tool call; an error that it throws ends the call. */
  begin?(): void;
}

/**
 * Returns the tools of a component in tool mode: one for each output that can be a tool, unless the node's table of
 * tools omits or disables it. A call runs the component for that output only.
 */
export function componentTools(component: Component, given: ToolComponentState): readonly ToolHandle[] {
  const rows = savedTools(given.table);
  const outputs = Object.entries(component.outputs).filter(
    ([name, { tool: mark, method = name }]) =>
      mark === undefined || (mark === 'named' && rows.some((row) => namesTool(row, method))),
  );
  const identifiers = outputs.map(([name, output]) => output.method ?? name);
  return namedTools(identifiers, rows).map(({ index, name, row }) => {
    const [output, declared] = outputs[index] ?? ['', { types: [] } satisfies Output];
    return tool(component, given, { output, name, row, declared });
  });
}

/** Whether the flow that these inputs name can wait for a person. */
async function flowAsks(
  names: readonly string[],
  { inputs, context: { resources } }: ToolComponentState,
): Promise<boolean> {
  for (const name of names) {
    const reference = inputs[name];
    const flow = typeof reference === 'string' ? await resources.flows.find(reference) : null;
    if (flow !== null) return resources.flows.asks(flow);
  }
  return false;
}

interface ToolDefinition {
  readonly output: string;
  readonly declared: Output;
  readonly name: string;
  readonly row: ToolRow | null;
}

function tool(
  component: Component,
  given: ToolComponentState,
  { output, name, row, declared }: ToolDefinition,
): ToolHandle {
  const inputs = toolInputs(component.inputs, given.connected);
  return {
    kind: 'tool',
    name,
    description: row?.description || component.description,
    parameters: toolParameters(inputs, row?.argumentDescriptions ?? {}),
    answersErrors: true,
    ...(declared.types.some((type) => type === 'Data' || type === 'JSON') ? { answersJson: true } : {}),
    ...(row !== null && row.approvals.length > 0 ? { approvals: row.approvals } : {}),
    ...(component.flowFields && { mayAsk: () => flowAsks(component.flowFields ?? [], given) }),
    call: async (callArguments: PythonObject, at: RunMoment = given.context.moment): Promise<string> => {
      given.begin?.();
      const values: Record<string, unknown> = { ...given.inputs };
      const fields: Record<string, PythonValue> = {};
      for (const [input, definition] of inputs) {
        const value = Object.hasOwn(callArguments, input) ? callArguments[input] : undefined;
        if (value === undefined || value === null) continue;
        values[input] = definition.convert(value, input);
        fields[input] = value;
      }
      // A tool that belongs to the agent itself has no vertex.
      const isVertex = given.begin !== undefined || given.context.vertex.type === component.type;
      if (isVertex) given.context.emitBuild('build_start');
      try {
        const outputs = await component.run(values, new ToolContext(given.context, output, fields, at));
        const value = outputs[output] ?? null;
        // A vertex that is a tool shows a table as pandas prints it.
        return given.begin !== undefined && value instanceof DataFrame ? str(value) : toolResult(value);
      } catch (error) {
        if (!(error instanceof ComponentError)) throw error;
        if (declared.toolError === undefined) throw error.ofTool;
        return `${declared.toolError}${error.message}`;
      } finally {
        if (isVertex) given.context.emitBuild('build_end');
      }
    },
  };
}
