import { node, edge } from './flow-nodes';

/** Returns a flow that passes its input through one node, whose id, input field and output are given. */
function flowAround(name: string, worker: unknown, [id, field, output]: readonly [string, string, string]) {
  return {
    name,
    endpoint_name: name,
    data: {
      nodes: [
        node('ChatInput-i', { input_value: '' }, 'message'),
        worker,
        node('ChatOutput-o', {}, 'message'),
      ],
      edges: [
        edge(['ChatInput-i', 'message'], [id, field]),
        edge([id, output], ['ChatOutput-o', 'input_value']),
      ],
    },
  };
}

/** Returns a flow with one script. */
export function scripted(name: string, script: string) {
  const id = 'JavaScriptFunction-s';
  return flowAround(name, node(id, { script }, 'message'), [id, 'input_value', 'message']);
}

/** Returns a flow that searches for a pattern in its input. */
export function searching(name: string, pattern: string) {
  const id = 'RegexExtractorComponent-r';
  return flowAround(name, node(id, { pattern, input_text: '' }, 'text'), [id, 'input_text', 'text']);
}

/** Returns a flow that runs itself. */
export function selfCalling(name: string) {
  const field = 'ChatInput-i~input_value';
  const worker = node('RunFlow-r', { flow_name_selected: name, [field]: '' }, 'flow_outputs_message');
  return flowAround(name, worker, ['RunFlow-r', field, 'flow_outputs_message']);
}

/** Returns a flow with a cycle of up to a billion iterations. */
export function circling(name: string) {
  const id = 'ConditionalRouter-c';
  const fields = {
    input_text: '',
    match_text: 'never',
    operator: 'equals',
    max_iterations: 1_000_000_000,
    default_route: 'false_result',
  };
  const flow = flowAround(name, node(id, fields, 'true_result'), [id, 'input_text', 'true_result']);
  const back = edge([id, 'false_result'], [id, 'input_text']);
  return { ...flow, data: { ...flow.data, edges: [...flow.data.edges, back] } };
}

/** Returns a flow with a chain of `length` nodes. */
export function chained(name: string, length: number) {
  const ids = Array.from({ length }, (_, index) => `JavaScriptFunction-${index}`);
  const nodes = ids.map((id) => node(id, { script: 'input' }, 'message'));
  const edges = ids.slice(1).map((id, index) => edge([ids[index] ?? '', 'message'], [id, 'input_value']));
  const first = edge(['ChatInput-i', 'message'], [ids[0] ?? '', 'input_value']);
  const last = edge([ids.at(-1) ?? '', 'message'], ['ChatOutput-o', 'input_value']);
  const input = node('ChatInput-i', { input_value: '' }, 'message');
  const output = node('ChatOutput-o', {}, 'message');
  return {
    name,
    endpoint_name: name,
    data: { nodes: [input, ...nodes, output], edges: [first, ...edges, last] },
  };
}
