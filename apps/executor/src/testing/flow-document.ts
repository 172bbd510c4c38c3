/** A node with these saved fields, each with its type in flow files. */
export function node(
  id: string,
  fields: Readonly<Record<string, string | number>>,
  outputs: readonly string[],
): unknown {
  const type = id.split('-')[0];
  const template = Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      { name, type: typeOf(name, value), value, show: true },
    ]),
  );
  return {
    id,
    type: 'genericNode',
    data: { id, type, node: { display_name: type, template, outputs: outputs.map((name) => ({ name })) } },
  };
}

function typeOf(name: string, value: string | number): string {
  if (typeof value === 'number') return 'int';
  return name === 'script' ? 'code' : 'str';
}

/** An edge, "ChatInput-a.message > ChatOutput-z.input_value". */
export function wire(text: string): unknown {
  const [[source, name] = [], [target, fieldName] = []] = text.split(' > ').map((end) => end.split('.'));
  return {
    source,
    target,
    data: { sourceHandle: { id: source, name }, targetHandle: { id: target, fieldName } },
  };
}

/** Chat Input → Run Flow → Chat Output; the inner flow gets the input at `into`, a vertex and a field. */
export function callingFlow(flowName: string, into = 'ChatInput-i~input_value'): unknown {
  return {
    nodes: [
      node('ChatInput-a', { input_value: '', session_id: '' }, ['message']),
      node('RunFlow-r', { flow_name_selected: flowName, [into]: '' }, ['flow_outputs_message']),
      node('ChatOutput-z', { session_id: '' }, ['message']),
    ],
    edges: [
      wire(`ChatInput-a.message > RunFlow-r.${into}`),
      wire('RunFlow-r.flow_outputs_message > ChatOutput-z.input_value'),
    ],
  };
}

/** API Request (a POST) → Chat Output. */
export const postingFlow = {
  nodes: [
    node('APIRequest-a', { url_input: 'https://sink.test/orders', method: 'POST' }, ['data']),
    node('ChatOutput-z', { session_id: '' }, ['message']),
  ],
  edges: [wire('APIRequest-a.data > ChatOutput-z.input_value')],
};

/** A loop over two texts → Run Flow in each round → Chat Output. */
export function loopingFlow(flowName: string): unknown {
  return {
    nodes: [
      node('JSONtoData-j', { json_string: '[{"text":"one"},{"text":"two"}]' }, ['data']),
      node('DataToDataFrame-t', { data_list: '' }, ['dataframe']),
      node('LoopComponent-l', { data: '' }, ['item', 'done']),
      node('RunFlow-r', { flow_name_selected: flowName, session_id: '' }, ['flow_outputs_data']),
      node('ChatOutput-z', { session_id: '' }, ['message']),
    ],
    edges: [
      wire('JSONtoData-j.data > DataToDataFrame-t.data_list'),
      wire('DataToDataFrame-t.dataframe > LoopComponent-l.data'),
      wire('LoopComponent-l.item > RunFlow-r.session_id'),
      wire('RunFlow-r.flow_outputs_data > LoopComponent-l.item'),
      wire('LoopComponent-l.done > ChatOutput-z.input_value'),
    ],
  };
}

/** Chat Input → JavaScript Function → Chat Output. */
export function scriptedFlow(script: string): unknown {
  return {
    nodes: [
      node('ChatInput-i', { input_value: '', session_id: '' }, ['message']),
      node('JavaScriptFunction-s', { script }, ['message']),
      node('ChatOutput-o', { session_id: '' }, ['message']),
    ],
    edges: [
      wire('ChatInput-i.message > JavaScriptFunction-s.input_value'),
      wire('JavaScriptFunction-s.message > ChatOutput-o.input_value'),
    ],
  };
}
