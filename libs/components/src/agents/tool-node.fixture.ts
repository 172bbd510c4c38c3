import { node } from '../flow-under-test.fixture';

/** A node in tool mode: its outputs are one, and a table may name its tools. */
export function toolNode(
  id: string,
  type: string,
  table: readonly unknown[] = [],
  values: Readonly<Record<string, unknown>> = {},
): unknown {
  const made = node(id, type, values) as {
    readonly data: { readonly node: { readonly template: Readonly<Record<string, unknown>> } };
  };
  const { template } = made.data.node;
  const tools_metadata = { name: 'tools_metadata', type: 'tools', value: table, show: true, list: true };
  const outputs = [{ name: 'component_as_tool', types: ['Tool'], method: 'to_toolkit' }];
  return {
    ...made,
    data: {
      ...made.data,
      node: { ...made.data.node, tool_mode: true, outputs, template: { ...template, tools_metadata } },
    },
  };
}
