import { node, wire } from './flow-nodes';

/** A flow that does this with what it is told, by one node of its own, whose input and output are named. */
function around(name: string, worker: unknown, [id, field, output]: readonly [string, string, string]) {
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
        wire(['ChatInput-i', 'message'], [id, field]),
        wire([id, output], ['ChatOutput-o', 'input_value']),
      ],
    },
  };
}

/** A flow of one script. */
export function scripted(name: string, script: string) {
  const id = 'JavaScriptFunction-s';
  return around(name, node(id, { script }, 'message'), [id, 'input_value', 'message']);
}

/** A flow that looks for a pattern in what it is told. */
export function searching(name: string, pattern: string) {
  const id = 'RegexExtractorComponent-r';
  return around(name, node(id, { pattern, input_text: '' }, 'text'), [id, 'input_text', 'text']);
}

/** A flow that runs itself. */
export function selfCalling(name: string) {
  const field = 'ChatInput-i~input_value';
  const worker = node('RunFlow-r', { flow_name_selected: name, [field]: '' }, 'flow_outputs_message');
  return around(name, worker, ['RunFlow-r', field, 'flow_outputs_message']);
}

/** A flow that goes round and round, and would for a billion times. */
export function circling(name: string) {
  const id = 'ConditionalRouter-c';
  const fields = {
    input_text: '',
    match_text: 'never',
    operator: 'equals',
    max_iterations: 1_000_000_000,
    default_route: 'false_result',
  };
  const flow = around(name, node(id, fields, 'true_result'), [id, 'input_text', 'true_result']);
  const back = wire([id, 'false_result'], [id, 'input_text']);
  return { ...flow, data: { ...flow.data, edges: [...flow.data.edges, back] } };
}

/** A flow of so many nodes, one behind the other. */
export function chained(name: string, length: number) {
  const ids = Array.from({ length }, (_, index) => `JavaScriptFunction-${index}`);
  const nodes = ids.map((id) => node(id, { script: 'input' }, 'message'));
  const edges = ids.slice(1).map((id, index) => wire([ids[index] ?? '', 'message'], [id, 'input_value']));
  const first = wire(['ChatInput-i', 'message'], [ids[0] ?? '', 'input_value']);
  const last = wire([ids.at(-1) ?? '', 'message'], ['ChatOutput-o', 'input_value']);
  const input = node('ChatInput-i', { input_value: '' }, 'message');
  const output = node('ChatOutput-o', {}, 'message');
  return {
    name,
    endpoint_name: name,
    data: { nodes: [input, ...nodes, output], edges: [first, ...edges, last] },
  };
}
