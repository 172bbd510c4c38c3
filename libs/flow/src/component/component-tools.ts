import type { RunMoment } from '../run/run-moment';
import type { PythonObject, PythonValue, ToolHandle } from '../values/python-value';
import type { Component, Output } from './component';
import type { ComponentContext } from './component-context';
import { namedTools, namesTool, savedTools } from './saved-tools';
import type { ToolRow } from './saved-tools';
import { ToolContext } from './tool-context';
import { toolInputs, toolParameters } from './tool-parameters';
import { toolResult } from './tool-result';

/** The one output that a node in tool mode has: its tools. */
export const toolOutput = 'component_as_tool';

/** What a component that is to be used as tools has got already. */
export interface ComponentAsTools {
  /** Values of all inputs, as `run` takes them; a call replaces those it has arguments for. */
  readonly inputs: Readonly<Record<string, unknown>>;
  /** Inputs that wires feed: no call changes them. */
  readonly wired: ReadonlySet<string>;
  /** The node's table of tools, which renames, describes and switches off; null for a component without a node. */
  readonly table: PythonValue;
  readonly context: ComponentContext;
  /** Called before each call of a tool; what it throws ends the call. */
  begin?(): void;
}

/**
 * The tools that a component in tool mode stands for: one for each output that may be a tool, unless the node's table
 * has no row for it or switches it off. A call runs the component for that output alone.
 */
export function componentTools(component: Component, given: ComponentAsTools): readonly ToolHandle[] {
  const rows = savedTools(given.table);
  const outputs = Object.entries(component.outputs).filter(
    ([name, { tool, method = name }]) =>
      tool === undefined || (tool === 'named' && rows.some((row) => namesTool(row, method))),
  );
  const identifiers = outputs.map(([name, output]) => output.method ?? name);
  return namedTools(identifiers, rows).map(({ index, name, row }) => {
    const [output, declared] = outputs[index] ?? ['', { types: [] } satisfies Output];
    return tool(component, given, { output, name, row, declared });
  });
}

interface OneTool {
  readonly output: string;
  readonly declared: Output;
  readonly name: string;
  readonly row: ToolRow | null;
}

function tool(component: Component, given: ComponentAsTools, { output, name, row }: OneTool): ToolHandle {
  const inputs = toolInputs(component.inputs, given.wired);
  return {
    kind: 'tool',
    name,
    description: row?.description || component.description,
    parameters: toolParameters(inputs, row?.argumentDescriptions ?? {}),
    call: async (callArguments: PythonObject, at: RunMoment = given.context.moment): Promise<string> => {
      given.begin?.();
      const values: Record<string, unknown> = { ...given.inputs };
      const fields: Record<string, PythonValue> = {};
      for (const [input, declared] of inputs) {
        const value = Object.hasOwn(callArguments, input) ? callArguments[input] : undefined;
        if (value === undefined || value === null) continue;
        values[input] = declared.convert(value, input);
        fields[input] = value;
      }
      const outputs = await component.run(values, new ToolContext(given.context, output, fields, at));
      return toolResult(outputs[output] ?? null);
    },
  };
}
