import { defineComponent, handle, listOf, nestedDictionary } from '@millrace/flow';
import type { Component, ToolHandle } from '@millrace/flow';
import { Data, Message } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';

/** Calls its first tool with the saved arguments, as a model would, and returns the tool's description as well. */
export const toolCaller: Component = defineComponent({
  type: 'ToolCaller',
  displayName: 'Tool Caller',
  description: 'Calls a tool.',
  inputs: {
    tools: listOf(handle({ displayName: 'Tools', inputTypes: ['Tool'] })),
    call_arguments: nestedDictionary({ displayName: 'Arguments' }),
  },
  outputs: { answer: { types: ['Message'] }, about: { types: ['Data'] } },
  deterministic: true,
  async run({ tools, call_arguments }) {
    const [tool] = tools as readonly ToolHandle[];
    if (tool === undefined) return { answer: new Message({ text: 'no tool' }) };
    const { name, description, parameters } = tool;
    return {
      answer: new Message({ text: await tool.call(call_arguments) }),
      about: new Data({ name, description, parameters: parameters as PythonValue }),
    };
  },
});
