import { edge, flowData, node } from '@millrace/testing';
import type { FlowData, FlowNode } from '@millrace/testing';

interface NamedFlow {
  readonly name: string;
  readonly endpoint_name: string;
  readonly data: FlowData;
}

/** Returns a flow that passes its input through one node, whose id, input field and output are given. */
function flowAround(
  name: string,
  worker: FlowNode,
  [id, field, output]: readonly [string, string, string],
): NamedFlow {
  return {
    name,
    endpoint_name: name,
    data: flowData(
      [node('ChatInput-i', { input_value: '' }, 'message'), worker, node('ChatOutput-o', {}, 'message')],
      [`ChatInput-i.message > ${id}.${field}`, `${id}.${output} > ChatOutput-o.input_value`],
    ),
  };
}

/** Returns a flow with one script. */
export function scripted(name: string, script: string): NamedFlow {
  const id = 'JavaScriptFunction-s';
  return flowAround(name, node(id, { script }, 'message'), [id, 'input_value', 'message']);
}

/** Returns a flow that searches for a pattern in its input. */
export function searching(name: string, pattern: string): NamedFlow {
  const id = 'RegexExtractorComponent-r';
  return flowAround(name, node(id, { pattern, input_text: '' }, 'text'), [id, 'input_text', 'text']);
}

/** Returns a flow that runs itself. */
export function selfCalling(name: string): NamedFlow {
  const field = 'ChatInput-i~input_value';
  const worker = node('RunFlow-r', { flow_name_selected: name, [field]: '' }, 'flow_outputs_message');
  return flowAround(name, worker, ['RunFlow-r', field, 'flow_outputs_message']);
}

/** Returns a flow with a cycle of up to a billion iterations. */
export function circling(name: string): NamedFlow {
  const id = 'ConditionalRouter-c';
  const fields = {
    input_text: '',
    match_text: 'never',
    operator: 'equals',
    max_iterations: 1_000_000_000,
    default_route: 'false_result',
  };
  const flow = flowAround(name, node(id, fields, 'true_result'), [id, 'input_text', 'true_result']);
  const back = edge(`${id}.false_result > ${id}.input_text`);
  return { ...flow, data: { ...flow.data, edges: [...flow.data.edges, back] } };
}

/** Returns a flow with a chain of `length` nodes. */
export function chained(name: string, length: number): NamedFlow {
  const ids = Array.from({ length }, (_, index) => `JavaScriptFunction-${index}`);
  const nodes = ids.map((id) => node(id, { script: 'input' }, 'message'));
  const edges = ids.slice(1).map((id, index) => `${ids[index]}.message > ${id}.input_value`);
  const first = `ChatInput-i.message > ${ids[0]}.input_value`;
  const last = `${ids.at(-1)}.message > ChatOutput-o.input_value`;
  const input = node('ChatInput-i', { input_value: '' }, 'message');
  const output = node('ChatOutput-o', {}, 'message');
  return {
    name,
    endpoint_name: name,
    data: flowData([input, ...nodes, output], [first, ...edges, last]),
  };
}
