import { defineComponent, handle, listOf, text, isToolHandle } from '@millrace/flow';
import { Message } from '@millrace/python-text';

/** A component that calls its first connected tool with a query, and returns the tool's name and result. */
export const textCaller = defineComponent({
  type: 'TextCaller',
  displayName: 'Text Caller',
  description: 'Calls a tool for a test.',
  inputs: { tools: listOf(handle()), query: text() },
  outputs: { output: { types: ['Message'] } },
  deterministic: false,
  run: async ({ tools, query }) => {
    const tool = tools.find(isToolHandle);
    if (tool === undefined) throw new Error('no tool is connected');
    return { output: new Message({ text: `${tool.name}: ${await tool.call({ search_query: query })}` }) };
  },
});
