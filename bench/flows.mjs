import { readFileSync } from 'node:fs';
import { flowData, node } from '@millrace/testing';

/**
 * @typedef {{ readonly url: string, readonly headers: Readonly<Record<string, string>> }} Account The gateway, and the
 *   headers with the key of a user.
 * @typedef {{ readonly name?: string, readonly endpoint_name: string, readonly data: unknown, readonly settings?: object }} FlowFile
 */

/**
 * Stores a flow under its endpoint name; resolves to { id, endpoint }.
 * @param {Account} system
 * @param {FlowFile} flow
 * @returns {Promise<{ readonly id: string, readonly endpoint: string }>}
 */
export async function upload(system, flow) {
  const response = await fetch(`${system.url}/api/v1/flows/`, {
    method: 'POST',
    headers: { ...system.headers, 'content-type': 'application/json' },
    body: JSON.stringify(flow),
  });
  if (response.status !== 201)
    throw new Error(`uploading a flow returned ${response.status}: ${await response.text()}`);
  const { id, endpoint_name: endpoint } = /** @type {{ id: string, endpoint_name: string }} */ (
    await response.json()
  );
  return { id, endpoint };
}

/**
 * Returns a flow of `examples/` with another endpoint name and settings.
 * @param {string} example
 * @param {string} endpoint
 * @param {object} [settings]
 * @returns {FlowFile}
 */
export function exampleFlow(example, endpoint, settings = {}) {
  const flow = JSON.parse(readFileSync(new URL(`../examples/${example}.json`, import.meta.url), 'utf8'));
  return { ...flow, endpoint_name: endpoint, settings };
}

/**
 * Webhook → Parser → Chat Output; with `call`, a base URL, also an API Request to that URL with the body's text.
 * @param {string} endpoint
 * @param {{ readonly call?: string }} [options]
 */
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

/**
 * Chat Input → Prompt → API Request → Chat Output: one call to a path that the run's input names.
 * @param {string} endpoint
 * @param {{ readonly url: string, readonly settings?: object }} options
 */
export function callingFlow(endpoint, { url, settings = {} }) {
  const flow = chain(endpoint, [
    node('ChatInput-in', { input_value: '', should_store_message: true }, 'message'),
    node('Prompt Template-url', { template: `${url}/{path}`, path: '' }, 'prompt'),
    node('APIRequest-call', { url_input: '', method: 'GET', mode: 'URL' }, 'data'),
    node('ChatOutput-out', { input_value: '', should_store_message: true }, 'message'),
  ]);
  return { ...flow, settings };
}

/**
 * Chat Input → OpenAI → Chat Output: one call to the model at a URL.
 * @param {string} endpoint
 * @param {{ readonly url: string, readonly settings?: object }} options
 */
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

/**
 * Chat Input → Text Inputs → Chat Output.
 * @param {number} length the number of vertices
 */
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

/**
 * By type, the field that receives the output of the vertex before; default `input_value`.
 * @type {Readonly<Record<string, string>>}
 */
const inputFields = { ParserComponent: 'input_data', 'Prompt Template': 'path', APIRequest: 'url_input' };

/**
 * @param {string} endpoint
 * @param {readonly ReturnType<typeof node>[]} nodes each with one output
 */
function chain(endpoint, nodes) {
  const edges = nodes.slice(1).map(({ id, data }, index) => {
    const source = nodes[index];
    return `${source.id}.${source.data.node.outputs[0].name} > ${id}.${inputFields[data.type] ?? 'input_value'}`;
  });
  return { name: endpoint, endpoint_name: endpoint, data: flowData(nodes, edges) };
}
