import { flowData, node } from '@millrace/testing';
import type { FlowData } from '@millrace/testing';

/** Chat Input → Run Flow → Chat Output; the inner flow gets the input at `into`, a vertex and a field. */
export function callingFlow(flowName: string, into = 'ChatInput-i~input_value'): unknown {
  return flowData(
    [
      node('ChatInput-a', { input_value: '', session_id: '' }, 'message'),
      node('RunFlow-r', { flow_name_selected: flowName, [into]: '' }, 'flow_outputs_message'),
      node('ChatOutput-z', { session_id: '' }, 'message'),
    ],
    [`ChatInput-a.message > RunFlow-r.${into}`, 'RunFlow-r.flow_outputs_message > ChatOutput-z.input_value'],
  );
}

/** API Request (a POST) → Chat Output. */
export const postingFlow: FlowData = flowData(
  [
    node('APIRequest-a', { url_input: 'https://sink.test/orders', method: 'POST' }, 'data'),
    node('ChatOutput-z', { session_id: '' }, 'message'),
  ],
  ['APIRequest-a.data > ChatOutput-z.input_value'],
);

/** A loop over two texts → Run Flow in each round → Chat Output. */
export function loopingFlow(flowName: string): unknown {
  return flowData(
    [
      node('JSONtoData-j', { json_string: '[{"text":"one"},{"text":"two"}]' }, 'data'),
      node('DataToDataFrame-t', { data_list: '' }, 'dataframe'),
      node('LoopComponent-l', { data: '' }, 'item', 'done'),
      node('RunFlow-r', { flow_name_selected: flowName, session_id: '' }, 'flow_outputs_data'),
      node('ChatOutput-z', { session_id: '' }, 'message'),
    ],
    [
      'JSONtoData-j.data > DataToDataFrame-t.data_list',
      'DataToDataFrame-t.dataframe > LoopComponent-l.data',
      'LoopComponent-l.item > RunFlow-r.session_id',
      'RunFlow-r.flow_outputs_data > LoopComponent-l.item',
      'LoopComponent-l.done > ChatOutput-z.input_value',
    ],
  );
}

/** Prompt, whose template is invalid → Chat Output. */
export const failingFlow: FlowData = flowData(
  [node('Prompt-p', { template: '{"a": 1}' }, 'prompt'), node('ChatOutput-o', { session_id: '' }, 'message')],
  ['Prompt-p.prompt > ChatOutput-o.input_value'],
);

/** Chat Input → JavaScript Function → Chat Output. */
export function scriptedFlow(script: string): unknown {
  return flowData(
    [
      node('ChatInput-i', { input_value: '', session_id: '' }, 'message'),
      node('JavaScriptFunction-s', { script }, 'message'),
      node('ChatOutput-o', { session_id: '' }, 'message'),
    ],
    [
      'ChatInput-i.message > JavaScriptFunction-s.input_value',
      'JavaScriptFunction-s.message > ChatOutput-o.input_value',
    ],
  );
}
