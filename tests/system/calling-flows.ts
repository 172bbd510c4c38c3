import { flowData, node } from '@millrace/testing';
import type { FlowData } from '@millrace/testing';

interface CallingFlows {
  readonly calling: { readonly name: string; readonly endpoint_name: string; readonly data: FlowData };
  readonly scripted: { readonly name: string; readonly data: FlowData };
}

/**
 * Returns two flows: `scripted` has this name and turns its input into upper case by a script, and `calling`, with the
 * endpoint name "calls-<name>", runs it.
 */
export function callingAndScriptedFlows(name: string): CallingFlows {
  const input = node('ChatInput-i', { input_value: '' }, 'message');
  const output = node('ChatOutput-o', {}, 'message');
  const field = 'ChatInput-i~input_value';
  return {
    calling: {
      name: `calls ${name}`,
      endpoint_name: `calls-${name}`,
      data: flowData(
        [input, node('RunFlow-r', { flow_name_selected: name, [field]: '' }, 'flow_outputs_message'), output],
        [
          `ChatInput-i.message > RunFlow-r.${field}`,
          'RunFlow-r.flow_outputs_message > ChatOutput-o.input_value',
        ],
      ),
    },
    scripted: {
      name,
      data: flowData(
        [input, node('JavaScriptFunction-s', { script: 'input.toUpperCase() + "!"' }, 'message'), output],
        [
          'ChatInput-i.message > JavaScriptFunction-s.input_value',
          'JavaScriptFunction-s.message > ChatOutput-o.input_value',
        ],
      ),
    },
  };
}
