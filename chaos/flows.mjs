import { readFileSync } from 'node:fs';
import { flowData, node } from '@millrace/testing';
import { pythonFlows } from './python/flows.mjs';
import { suspendedFlows } from './suspensions/flows.mjs';

/** @import { ReportReceiver } from './report-receiver.mjs' */

/** @typedef {{ readonly name: string, readonly endpoint_name: string, readonly data: unknown, readonly settings?: unknown }} FlowFile */

/** The names of the flows. The input of webhook and run is `<token>/<milliseconds>`: caller and duration of the effect. */
const WEBHOOK = 'chaos-webhook';
const RUN = 'chaos-run';
const STREAM = 'chaos-stream';
const UNRUNNABLE = 'chaos-unrunnable';
const DELIVERY = 'chaos-delivery';
const SCHEDULE = 'chaos-schedule';
/** The variable with the signing secret of callbacks. */
const CALLBACK_SECRET = 'CHAOS_CALLBACK';

/**
 * Stores the flows of the load; resolves to { webhook, run, stream, unrunnable, delivery, schedule, asking, consent, waiting,
 * timed }, each { id, endpoint }, and with `hasPython` also { pythonWebhook, python }, whose text is approved. The ends of `delivery` and `schedule`, which
 * triggers run, are reported to the receiver.
 * @param {{ readonly url: string, readonly key: string, readonly sinkUrl: string, readonly receiver: Pick<ReportReceiver, 'url' | 'secret'>, readonly hasPython: boolean }} options
 */
export async function uploadFlows({ url, key, sinkUrl, receiver, hasPython }) {
  const upload = (/** @type {FlowFile} */ file) => uploadFlow(url, key, file);
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
  const { asking, consent, waiting, timed } = suspendedFlows(sinkUrl);
  const delivery = await uploadDeliveryFlow({ url, key, sinkUrl, receiver });
  return {
    webhook: await upload(webhookFlow(WEBHOOK, sinkUrl)),
    delivery,
    schedule: await upload({ ...scheduleFlow(sinkUrl), settings: reportsTo(receiver) }),
    run: await upload(runFlow(sinkUrl)),
    stream: await upload(streamFlow()),
    unrunnable: await upload(unrunnableFlow()),
    asking: await upload(asking),
    consent: await upload(consent),
    waiting: await upload(waiting),
    timed: await upload(timed),
    ...(hasPython ? await uploadPython() : {}),
  };
}

/**
 * Stores the flow that the deliveries of a user start, and the secret of its callbacks.
 * @param {Omit<Parameters<typeof uploadFlows>[0], 'hasPython'>} options
 */
export async function uploadDeliveryFlow({ url, key, sinkUrl, receiver }) {
  const variable = { name: CALLBACK_SECRET, value: receiver.secret, type: 'Credential', default_fields: [] };
  const stored = await fetch(`${url}/api/v1/variables/`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify(variable),
  });
  if (stored.status !== 201)
    throw new Error(`the variable was refused: ${stored.status} ${await stored.text()}`);
  return uploadFlow(url, key, { ...webhookFlow(DELIVERY, sinkUrl), settings: reportsTo(receiver) });
}

/** @param {Pick<ReportReceiver, 'url'>} receiver */
function reportsTo({ url }) {
  return { callbacks: [{ url, secrets: [CALLBACK_SECRET] }] };
}

/**
 * @param {string} url
 * @param {string} key
 * @param {FlowFile} file
 * @returns {Promise<{ readonly id: string, readonly endpoint: string }>}
 */
async function uploadFlow(url, key, file) {
  const response = await fetch(`${url}/api/v1/flows/`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify(file),
  });
  if (response.status !== 201)
    throw new Error(`${file.name} was refused with ${response.status}: ${await response.text()}`);
  const { id, endpoint_name: endpoint } = /** @type {{ id: string, endpoint_name: string }} */ (
    await response.json()
  );
  return { id, endpoint };
}

/**
 * Webhook → Parser → API Request → Chat Output.
 * @param {string} name
 * @param {string} sinkUrl
 */
function webhookFlow(name, sinkUrl) {
  const pattern = `${sinkUrl}/effect/{token}/{milliseconds}`;
  return flow(
    name,
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
 * API Request → Chat Output.
 * @param {string} sinkUrl
 */
function scheduleFlow(sinkUrl) {
  return flow(SCHEDULE, effectNodes(`${sinkUrl}/effect/schedule/20`), [EFFECT_EDGE]);
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

function effectNodes(url = '') {
  return [
    node('APIRequest-effect', { url_input: url, method: 'POST', mode: 'URL' }, 'data'),
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
