import { readFileSync } from 'node:fs';

/** Stores a flow under its endpoint name; resolves to { id, endpoint }. */
export async function upload(system, flow) {
  const response = await fetch(`${system.url}/api/v1/flows/`, {
    method: 'POST',
    headers: { ...system.headers, 'content-type': 'application/json' },
    body: JSON.stringify(flow),
  });
  if (response.status !== 201)
    throw new Error(`uploading a flow returned ${response.status}: ${await response.text()}`);
  const { id, endpoint_name: endpoint } = await response.json();
  return { id, endpoint };
}

/** Returns a flow of `examples/` with another endpoint name and settings. */
export function exampleFlow(example, endpoint, settings = {}) {
  const flow = JSON.parse(readFileSync(new URL(`../examples/${example}.json`, import.meta.url), 'utf8'));
  return { ...flow, endpoint_name: endpoint, settings };
}

/** Webhook → Parser → Chat Output; with `call`, a base URL, also an API Request to that URL with the body's text. */
export function webhookFlow(endpoint, { call } = {}) {
  const pattern = call === undefined ? '{text}' : `${call}/{text}`;
  const request = node('APIRequest-call', { url_input: '', method: 'GET', mode: 'URL' }, 'data');
  return chain(endpoint, [
    node('Webhook-in', { data: '' }, 'output_data'),
    node('ParserComponent-text', { input_data: '', mode: 'Parser', pattern, sep: '\n' }, 'parsed_text'),
    ...(call === undefined ? [] : [request]),
    node('ChatOutput-out', { input_value: '', should_store_message: true }, 'message'),
  ]);
}

/** Chat Input → Prompt → API Request → Chat Output: one call to a path that the run's input names. */
export function callingFlow(endpoint, { url, settings = {} }) {
  const request = node('APIRequest-call', { url_input: '', method: 'GET', mode: 'URL' }, 'data');
  const flow = chain(endpoint, [
    node('ChatInput-in', { input_value: '', should_store_message: true }, 'message'),
    node('Prompt Template-url', { template: `${url}/{path}`, path: '' }, 'prompt'),
    request,
    node('ChatOutput-out', { input_value: '', should_store_message: true }, 'message'),
  ]);
  return { ...flow, settings };
}

/** Chat Input → OpenAI → Chat Output: one call to the model at a URL. */
export function modelFlow(endpoint, { url, settings = {} }) {
  const flow = chain(endpoint, [
    node('ChatInput-in', { input_value: '', should_store_message: true }, 'message'),
    node(
      'OpenAIModel-ask',
      { input_value: '', model_name: 'slow', api_key: 'none', openai_api_base: url },
      'text_output',
    ),
    node('ChatOutput-out', { input_value: '', should_store_message: true }, 'message'),
  ]);
  return { ...flow, settings };
}

/** Chat Input → Text Inputs → Chat Output. */
export function pureFlow(length) {
  const between = Array.from({ length: length - 2 }, (_, index) =>
    node(`TextInput-${index}`, { input_value: '' }, 'text'),
  );
  return chain('pure', [
    node('ChatInput-in', { input_value: '' }, 'message'),
    ...between,
    node('ChatOutput-out', { input_value: '' }, 'message'),
  ]);
}

/** The field that receives the output of the vertex before, by type; default `input_value`. */
const inputFields = { ParserComponent: 'input_data', 'Prompt Template': 'path', APIRequest: 'url_input' };

function chain(endpoint, nodes) {
  const edges = nodes.slice(1).map(({ id, data }, index) => {
    const source = nodes[index];
    return {
      source: source.id,
      target: id,
      data: {
        sourceHandle: { id: source.id, name: source.data.node.outputs[0].name },
        targetHandle: { id, fieldName: inputFields[data.type] ?? 'input_value' },
      },
    };
  });
  return { name: endpoint, endpoint_name: endpoint, data: { nodes, edges } };
}

function node(id, fields, output) {
  const type = id.slice(0, id.lastIndexOf('-'));
  const template = Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      { name, type: typeof value === 'boolean' ? 'bool' : 'str', value, show: true },
    ]),
  );
  const outputs = [{ name: output, types: ['Message'] }];
  return { id, data: { id, type, node: { display_name: type, template, outputs } } };
}
