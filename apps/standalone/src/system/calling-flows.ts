import { node, edge } from './flow-nodes';

/**
 * Returns two flows: `scripted` has this name and turns its input into upper case by a script, and `calling`, with the
 * endpoint name "calls-<name>", runs it.
 */
export function callingAndScriptedFlows(name: string) {
  const input = node('ChatInput-i', { input_value: '' }, 'message');
  const output = node('ChatOutput-o', {}, 'message');
  const field = 'ChatInput-i~input_value';
  return {
    calling: {
      name: `calls ${name}`,
      endpoint_name: `calls-${name}`,
      data: {
        nodes: [
          input,
          node('RunFlow-r', { flow_name_selected: name, [field]: '' }, 'flow_outputs_message'),
          output,
        ],
        edges: [
          edge(['ChatInput-i', 'message'], ['RunFlow-r', field]),
          edge(['RunFlow-r', 'flow_outputs_message'], ['ChatOutput-o', 'input_value']),
        ],
      },
    },
    scripted: {
      name,
      data: {
        nodes: [
          input,
          node('JavaScriptFunction-s', { script: 'input.toUpperCase() + "!"' }, 'message'),
          output,
        ],
        edges: [
          edge(['ChatInput-i', 'message'], ['JavaScriptFunction-s', 'input_value']),
          edge(['JavaScriptFunction-s', 'message'], ['ChatOutput-o', 'input_value']),
        ],
      },
    },
  };
}
