import { node } from './flow-under-test.fixture';

/** Returns a node in tool mode: it has one output, and a table can rename its tools. */
export function toolNode(
  id: string,
  type: string,
  table: readonly unknown[] = [],
  values: Readonly<Record<string, unknown>> = {},
): unknown {
  const base = node(id, type, values) as {
    readonly data: { readonly node: { readonly template: Readonly<Record<string, unknown>> } };
  };
  const { template } = base.data.node;
  const tools_metadata = { name: 'tools_metadata', type: 'tools', value: table, show: true, list: true };
  const outputs = [{ name: 'component_as_tool', types: ['Tool'], method: 'to_toolkit' }];
  return {
    ...base,
    data: {
      ...base.data,
      node: { ...base.data.node, tool_mode: true, outputs, template: { ...template, tools_metadata } },
    },
  };
}
