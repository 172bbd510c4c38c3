import { readFileSync } from 'node:fs';

/** The names of the flows. The input of webhook and run is `<token>/<milliseconds>`: caller and duration of the effect. */
const WEBHOOK = 'chaos-webhook';
const RUN = 'chaos-run';
const STREAM = 'chaos-stream';
const UNRUNNABLE = 'chaos-unrunnable';

/** Stores the flows of the load; resolves to { webhook, run, stream, unrunnable }, each { id, endpoint }. */
export async function uploadFlows({ url, key, sinkUrl }) {
  const upload = async (flow) => {
    const response = await fetch(`${url}/api/v1/flows/`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify(flow),
    });
    if (response.status !== 201)
      throw new Error(`${flow.name} was refused with ${response.status}: ${await response.text()}`);
    const { id, endpoint_name: endpoint } = await response.json();
    return { id, endpoint };
  };
  return {
    webhook: await upload(webhookFlow(sinkUrl)),
    run: await upload(runFlow(sinkUrl)),
    stream: await upload(streamFlow()),
    unrunnable: await upload(unrunnableFlow()),
  };
}

/** Webhook → Parser → API Request → Chat Output. */
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
      wire('Webhook-in', 'output_data', 'ParserComponent-url', 'input_data'),
      wire('ParserComponent-url', 'parsed_text', 'APIRequest-effect', 'url_input'),
    ],
  );
}

/** Chat Input → Prompt → API Request → Chat Output. */
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
      wire('ChatInput-in', 'message', 'Prompt Template-url', 'path'),
      wire('Prompt Template-url', 'prompt', 'APIRequest-effect', 'url_input'),
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
  const nodes = [
    node('ChatInput-in', { input_value: '' }, 'message'),
    node('Unheard-of', { input_value: '' }, 'message'),
  ];
  const edges = [wire('ChatInput-in', 'message', 'Unheard-of', 'input_value')];
  return { name: UNRUNNABLE, endpoint_name: UNRUNNABLE, data: { nodes, edges } };
}

function effectNodes() {
  return [
    node('APIRequest-effect', { url_input: '', method: 'POST', mode: 'URL' }, 'data'),
    node('ChatOutput-out', { input_value: '', should_store_message: true }, 'message'),
  ];
}

function flow(name, nodes, edges) {
  const last = wire('APIRequest-effect', 'data', 'ChatOutput-out', 'input_value');
  return { name, endpoint_name: name, data: { nodes, edges: [...edges, last] } };
}

function node(id, fields, output) {
  const type = id.slice(0, id.lastIndexOf('-'));
  const template = Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      { name, type: typeof value === 'boolean' ? 'bool' : 'str', value, show: true },
    ]),
  );
  return { id, data: { id, type, node: { display_name: type, template, outputs: [{ name: output }] } } };
}

function wire(source, name, target, fieldName) {
  return {
    source,
    target,
    data: { sourceHandle: { id: source, name }, targetHandle: { id: target, fieldName } },
  };
}
