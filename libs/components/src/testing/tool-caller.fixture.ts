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

export interface ToolCallOptions extends RunOptions {
  /** The output of the node that provides tools: `component_as_tool`, the output of nodes in tool mode, by default. */
  readonly output?: string;
  /** The name of the tool; the first one by default. */
  readonly tool?: string;
  /** Further nodes and edges of the flow. The node that calls the tool has the id `ToolCaller-z`. */
  readonly beside?: { readonly nodes: readonly unknown[]; readonly edges: readonly unknown[] };
}

/** Calls a tool that a node provides, as an agent does. Without a tool the result is empty. */
export async function callToolOf(
  providingNode: unknown,
  callArguments: Readonly<Record<string, unknown>>,
  { output = 'component_as_tool', tool, beside, ...options }: ToolCallOptions = {},
): Promise<ToolCallUnderTest> {
  const seen: ToolHandle[] = [];
  const { id } = providingNode as { readonly id: string };
  const caller = node('ToolCaller-z', 'ToolCaller', { call: callArguments }) as {
    readonly data: { readonly node: { readonly template: Record<string, unknown> } };
  };
  caller.data.node.template['tools'] = { name: 'tools', type: 'other', value: '', show: true, list: true };
  const document = flow(
    [providingNode, ...(beside?.nodes ?? []), caller],
    [edge(id, output, 'ToolCaller-z', 'tools'), ...(beside?.edges ?? [])],
  );
  const { text } = await runFlow(document, {
    ...options,
    show: 'ToolCaller-z',
    extraComponents: [...(options.extraComponents ?? []), toolCaller(seen, tool)],
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
