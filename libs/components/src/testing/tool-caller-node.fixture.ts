/** Returns a node "ToolCaller-c" of the Tool Caller with these arguments. */
export function toolCallerNode(callArguments: unknown): unknown {
  const template = {
    tools: { name: 'tools', type: 'other', list: true, show: true, value: '' },
    call_arguments: { name: 'call_arguments', type: 'NestedDict', show: true, value: callArguments },
  };
  const outputs = [{ name: 'answer' }, { name: 'about' }];
  const body = { display_name: 'Tool Caller', template, outputs };
  return { id: 'ToolCaller-c', data: { id: 'ToolCaller-c', type: 'ToolCaller', node: body } };
}
