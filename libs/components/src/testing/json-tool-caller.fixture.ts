import { defineComponent, handle, listOf, text, isToolHandle } from '@millrace/flow';
import { Data } from '@millrace/python-text';
import type { PythonObject, PythonValue } from '@millrace/python-text';

/** A component that calls its first connected tool as a model would, and returns its name, parameters and result. */
export const toolCaller = defineComponent({
  type: 'ToolCaller',
  displayName: 'Tool Caller',
  description: 'Calls a tool for a test.',
  inputs: { tools: listOf(handle()), call_arguments: text() },
  outputs: { output: { types: ['Data'] } },
  deterministic: false,
  run: async ({ tools, call_arguments }) => {
    const tool = tools.find(isToolHandle);
    if (tool === undefined) throw new Error('no tool is connected');
    const answer = await tool.call(JSON.parse(call_arguments) as PythonObject).then(
      (text) => JSON.parse(text) as PythonValue,
      (error: Error) => error.message,
    );
    const parameters = tool.parameters as PythonObject;
    return { output: new Data({ name: tool.name, parameters, answer }) };
  },
});
