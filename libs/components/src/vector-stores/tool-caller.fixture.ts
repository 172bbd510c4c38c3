import { Data, defineComponent, handle, isToolHandle, listOf, text } from '@millrace/flow';
import type { PythonObject, PythonValue } from '@millrace/flow';

/** A component that calls the first tool wired to it, as a model would: its name, its parameters and its answer. */
export const toolCaller = defineComponent({
  type: 'ToolCaller',
  displayName: 'Tool Caller',
  description: 'Calls a tool for a test.',
  inputs: { tools: listOf(handle()), call_arguments: text() },
  outputs: { told: { types: ['Data'] } },
  deterministic: false,
  run: async ({ tools, call_arguments }) => {
    const tool = tools.find(isToolHandle);
    if (tool === undefined) throw new Error('no tool is wired');
    const answer = await tool.call(JSON.parse(call_arguments) as PythonObject).then(
      (text) => JSON.parse(text) as PythonValue,
      (error: Error) => error.message,
    );
    const parameters = tool.parameters as PythonObject;
    return { told: new Data({ name: tool.name, parameters, answer }) };
  },
});
