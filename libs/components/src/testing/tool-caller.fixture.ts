import { defineComponent, handle, listOf, nestedDictionary, isToolHandle } from '@millrace/flow';
import type { Component, ToolHandle } from '@millrace/flow';
import { Message } from '@millrace/python-text';
import { flow, node, runFlow, edge } from './flow-under-test.fixture';
import type { RunOptions } from './flow-under-test.fixture';

export interface ToolCallUnderTest {
  /** The tools that the node provides, in order. */
  readonly tools: readonly ToolHandle[];
  /** The result of the called tool. */
  readonly result: unknown;
}

/** Calls a tool that a node provides, as an agent does: the tool with the given name, otherwise the first one. */
export async function callToolOf(
  providingNode: unknown,
  callArguments: Readonly<Record<string, unknown>>,
  options: RunOptions & { readonly output?: string; readonly tool?: string } = {},
): Promise<ToolCallUnderTest> {
  const seen: ToolHandle[] = [];
  const { id } = providingNode as { readonly id: string };
  const caller = node('ToolCaller-z', 'ToolCaller', { call: callArguments }) as {
    readonly data: { readonly node: { readonly template: Record<string, unknown> } };
  };
  caller.data.node.template['tools'] = { name: 'tools', type: 'other', value: '', show: true, list: true };
  const document = flow(
    [providingNode, caller],
    [edge(id, options.output ?? 'component_as_tool', 'ToolCaller-z', 'tools')],
  );
  const { text } = await runFlow(document, {
    ...options,
    show: 'ToolCaller-z',
    extraComponents: [...(options.extraComponents ?? []), toolCaller(seen, options.tool)],
  });
  return { tools: seen, result: text };
}

function toolCaller(seen: ToolHandle[], name: string | undefined): Component {
  return defineComponent({
    type: 'ToolCaller',
    displayName: 'Tool Caller',
    description: 'Calls one of its tools.',
    inputs: {
      tools: listOf(handle({ inputTypes: ['Tool'] })),
      call: nestedDictionary(),
    },
    outputs: { result: { types: ['Message'] } },
    deterministic: false,
    run: async ({ tools, call }) => {
      seen.push(...tools.filter((tool) => isToolHandle(tool)));
      const chosen = seen.find((tool) => name === undefined || tool.name === name);
      return { result: new Message({ text: (await chosen?.call(call)) ?? '' }) };
    },
  });
}
