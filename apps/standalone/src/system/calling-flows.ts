import { node, wire } from './flow-nodes';

/**
 * A flow of this name that shouts what it is told, by a script of its own, and another, of the endpoint name
 * "calls-<name>", that runs it.
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
          wire(['ChatInput-i', 'message'], ['RunFlow-r', field]),
          wire(['RunFlow-r', 'flow_outputs_message'], ['ChatOutput-o', 'input_value']),
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
          wire(['ChatInput-i', 'message'], ['JavaScriptFunction-s', 'input_value']),
          wire(['JavaScriptFunction-s', 'message'], ['ChatOutput-o', 'input_value']),
        ],
      },
    },
  };
}
