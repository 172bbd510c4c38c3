import { defineComponent, dictionary, handle, text, isToolHandle } from '@millrace/flow';
import type { ToolHandle } from '@millrace/flow';
import { Message } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';

/** A component that stands in for an agent: calls the connected tool with a given name and lists all tools. */
export const toolCaller = defineComponent({
  type: 'ToolCaller',
  displayName: 'Tool Caller',
  description: 'Calls a tool.',
  inputs: {
    tools: handle({ displayName: 'Tools' }),
    name: text({ displayName: 'Name' }),
    arguments: dictionary({ displayName: 'Arguments' }),
  },
  outputs: { result: { types: ['Message'] } },
  deterministic: false,
  run: async (inputs) => {
    const tools = toolsOf(inputs.tools);
    const called = tools.find(({ name }) => name === inputs.name);
    const result = called === undefined ? null : await called.call(inputs.arguments);
    const shown = tools.map(({ name, description, parameters }) => ({ name, description, parameters }));
    return { result: new Message({ text: JSON.stringify({ tools: shown, result }) }) };
  },
});

function toolsOf(value: PythonValue): readonly ToolHandle[] {
  const values: readonly PythonValue[] = Array.isArray(value) ? value : [value];
  return values.filter((tool) => isToolHandle(tool));
}

export interface CalledTools {
  readonly tools: readonly {
    readonly name: string;
    readonly description: string;
    readonly parameters: Readonly<Record<string, unknown>>;
  }[];
  readonly result: string | null;
}
