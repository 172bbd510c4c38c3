import { readFileSync } from 'node:fs';
import { flowData, node } from '@millrace/testing';
import { pythonFlows } from './python/flows.mjs';

/** @typedef {{ readonly name: string, readonly endpoint_name: string, readonly data: unknown }} FlowFile */

/** The names of the flows. The input of webhook and run is `<token>/<milliseconds>`: caller and duration of the effect. */
const WEBHOOK = 'chaos-webhook';
const RUN = 'chaos-run';
const STREAM = 'chaos-stream';
const UNRUNNABLE = 'chaos-unrunnable';

/**
 * Stores the flows of the load; resolves to { webhook, run, stream, unrunnable }, each { id, endpoint }, and with
 * `hasPython` also { pythonWebhook, python }, whose text is approved.
 * @param {{ readonly url: string, readonly key: string, readonly sinkUrl: string, readonly hasPython: boolean }} options
 */
export async function uploadFlows({ url, key, sinkUrl, hasPython }) {
  /**
   * @param {FlowFile} flow
   * @returns {Promise<{ readonly id: string, readonly endpoint: string }>}
   */
  const upload = async (flow) => {
    const response = await fetch(`${url}/api/v1/flows/`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify(flow),
    });
    if (response.status !== 201)
      throw new Error(`${flow.name} was refused with ${response.status}: ${await response.text()}`);
    const { id, endpoint_name: endpoint } = /** @type {{ id: string, endpoint_name: string }} */ (
      await response.json()
    );
    return { id, endpoint };
  };
  const uploadPython = async () => {
    const { webhook, call, sha256 } = pythonFlows(sinkUrl);
    const response = await fetch(`${url}/api/v1/author-code/${sha256}`, {
      method: 'PUT',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({ status: 'approved' }),
    });
    if (!response.ok)
      throw new Error(`the text was not approved: ${response.status} ${await response.text()}`);
    return { pythonWebhook: await upload(webhook), python: await upload(call) };
  };
  return {
    webhook: await upload(webhookFlow(sinkUrl)),
    run: await upload(runFlow(sinkUrl)),
    stream: await upload(streamFlow()),
    unrunnable: await upload(unrunnableFlow()),
    ...(hasPython ? await uploadPython() : {}),
  };
}

/**
 * Webhook → Parser → API Request → Chat Output.
 * @param {string} sinkUrl
 */
function webhookFlow(sinkUrl) {
  const pattern = `${sinkUrl}/effect/{token}/{milliseconds}`;
  return flow(
    WEBHOOK,
    [
      node('Webhook-in', { data: '' }, 'output_data'),
      node('ParserComponent-url', { input_data: '', mode: 'Parser', pattern, sep: '\n' }, 'parsed_text'),
      ...effectNodes(),
    ],
    [
      'Webhook-in.output_data > ParserComponent-url.input_data',
      'ParserComponent-url.parsed_text > APIRequest-effect.url_input',
      EFFECT_EDGE,
    ],
  );
}

/**
 * Chat Input → Prompt → API Request → Chat Output.
 * @param {string} sinkUrl
 */
function runFlow(sinkUrl) {
  const template = `${sinkUrl}/effect/{path}`;
  return flow(
    RUN,
    [
      node('ChatInput-in', { input_value: '', should_store_message: true }, 'message'),
      node('Prompt Template-url', { template, path: '' }, 'prompt'),
      ...effectNodes(),
    ],
    [
      'ChatInput-in.message > Prompt Template-url.path',
      'Prompt Template-url.prompt > APIRequest-effect.url_input',
      EFFECT_EDGE,
    ],
  );
}

/** The example that calls a language model. */
function streamFlow() {
  const example = JSON.parse(readFileSync(new URL('../examples/chat.json', import.meta.url), 'utf8'));
  return { ...example, name: STREAM, endpoint_name: STREAM };
}

/** A flow with an unknown component. */
function unrunnableFlow() {
  return flow(
    UNRUNNABLE,
    [
      node('ChatInput-in', { input_value: '' }, 'message'),
      node('Unheard-of', { input_value: '' }, 'message'),
    ],
    ['ChatInput-in.message > Unheard-of.input_value'],
  );
}

function effectNodes() {
  return [
    node('APIRequest-effect', { url_input: '', method: 'POST', mode: 'URL' }, 'data'),
    node('ChatOutput-out', { input_value: '', should_store_message: true }, 'message'),
  ];
}

const EFFECT_EDGE = 'APIRequest-effect.data > ChatOutput-out.input_value';

/**
 * @param {string} name
 * @param {Parameters<typeof flowData>[0]} nodes
 * @param {readonly string[]} edges
 * @returns {FlowFile}
 */
function flow(name, nodes, edges) {
  return { name, endpoint_name: name, data: flowData(nodes, edges) };
}
