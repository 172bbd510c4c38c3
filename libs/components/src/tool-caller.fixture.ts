import { defineComponent, handle, isToolHandle, listOf, Message, nestedDictionary } from '@millrace/flow';
import type { Component, ToolHandle } from '@millrace/flow';
import { flow, node, runFlow, wire } from './flow-under-test.fixture';
import type { RunOptions } from './flow-under-test.fixture';

export interface ToolCallUnderTest {
  /** The tools that the node offers, in their order. */
  readonly tools: readonly ToolHandle[];
  /** What the called tool said. */
  readonly said: unknown;
}

/** Calls a tool that a node of a flow offers, as an agent would: the first one, unless it is named. */
export async function callToolOf(
  offering: unknown,
  callArguments: Readonly<Record<string, unknown>>,
  options: RunOptions & { readonly output?: string; readonly tool?: string } = {},
): Promise<ToolCallUnderTest> {
  const seen: ToolHandle[] = [];
  const { id } = offering as { readonly id: string };
  const caller = node('ToolCaller-z', 'ToolCaller', { call: callArguments }) as {
    readonly data: { readonly node: { readonly template: Record<string, unknown> } };
  };
  caller.data.node.template['tools'] = { name: 'tools', type: 'other', value: '', show: true, list: true };
  const document = flow(
    [offering, caller],
    [wire(id, options.output ?? 'component_as_tool', 'ToolCaller-z', 'tools')],
  );
  const { text } = await runFlow(document, {
    ...options,
    show: 'ToolCaller-z',
    further: [...(options.further ?? []), toolCaller(seen, options.tool)],
  });
  return { tools: seen, said: text };
}

function toolCaller(seen: ToolHandle[], name: string | undefined): Component {
  return defineComponent({
    type: 'ToolCaller',
    displayName: 'Tool Caller',
    description: 'Calls one of the tools it is given.',
    inputs: {
      tools: listOf(handle({ inputTypes: ['Tool'] })),
      call: nestedDictionary(),
    },
    outputs: { said: { types: ['Message'] } },
    deterministic: false,
    run: async ({ tools, call }) => {
      seen.push(...tools.filter((tool) => isToolHandle(tool)));
      const chosen = seen.find((tool) => name === undefined || tool.name === name);
      return { said: new Message({ text: (await chosen?.call(call)) ?? '' }) };
    },
  });
}
