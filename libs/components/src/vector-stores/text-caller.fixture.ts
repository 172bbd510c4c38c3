import { defineComponent, handle, isToolHandle, listOf, Message, text } from '@millrace/flow';

/** A component that asks the first tool wired to it for a query, and says the tool's name and its answer. */
export const textCaller = defineComponent({
  type: 'TextCaller',
  displayName: 'Text Caller',
  description: 'Asks a tool for a test.',
  inputs: { tools: listOf(handle()), query: text() },
  outputs: { told: { types: ['Message'] } },
  deterministic: false,
  run: async ({ tools, query }) => {
    const tool = tools.find(isToolHandle);
    if (tool === undefined) throw new Error('no tool is wired');
    return { told: new Message({ text: `${tool.name}: ${await tool.call({ search_query: query })}` }) };
  },
});
