import { exampleText } from './field-values.mjs';
import { generateFlow, generateQuestion } from './generate-flow.mjs';
import { tweaksFor } from './generate-run.mjs';

/** @import { Random } from '../../chaos/random.mjs' */
/** @import { Case, Flow, Json, JsonObject, Step } from './case.ts' */
/** @import { Catalog } from './read-catalog.mjs' */

/** @typedef {{ readonly catalog: Catalog, readonly flow: Flow }} Scene The flow is the smallest. */
/** @typedef {(random: Random, scene: Scene) => Omit<Case, 'id' | 'form'>} Script */

/**
 * Returns one of the scripts: requests that use what earlier ones answered.
 * @param {Random} random
 * @param {number} turn so that each comes as often
 * @param {Scene} scene
 * @returns {Omit<Case, 'id'>}
 */
export function generateScript(random, turn, scene) {
  const names = Object.keys(scripts);
  const form = names[turn % names.length];
  return { form, ...scripts[form](random, scene) };
}

/**
 * @param {string} route method and path; names in braces are those of captured values
 * @param {Partial<Step>} [more]
 * @returns {Step}
 */
function step(route, more = {}) {
  const [method, path] = route.split(' ');
  return { route, method, path: path.replaceAll(/\{(\w+)\}/g, (_, name) => `{{${name}}}`), ...more };
}

/** @param {Partial<Step>} [more] */
const v2 = (more) => step('POST /api/v2/workflows', more);
const messages = step('GET /api/v1/monitor/messages', { query: { flow_id: '{{flow}}' } });
const project = step('GET /api/v1/flows/{flow}', { capture: { project: 'folder_id' }, isSetup: true });
const toolName = {
  name: 'Generated tool',
  mcp_enabled: true,
  action_name: 'answer',
  action_description: 'Answers.',
};
const exposed = step('PATCH /api/v1/flows/{flow}', { json: toolName, isSetup: true });
const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'client', version: '1' } },
};
const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' };

/** @type {Readonly<Record<string, Script>>} */
const scripts = {
  'version token': (random, { flow }) => ({
    flow,
    steps: [
      step('GET /api/v1/flows/{flow}', { capture: { token: 'version_token' } }),
      step('PATCH /api/v1/flows/{flow}', {
        headers: { 'if-match': random.pick(['{{token}}', '"{{token}}"', 'wrong', '*']) },
        json: { description: exampleText(random) },
      }),
      step('PATCH /api/v1/flows/{flow}', {
        headers: { 'if-match': '{{token}}' },
        json: { name: 'changed again' },
      }),
      step('GET /api/v1/flows/{flow}'),
    ],
  }),
  'background run': (random, { flow }) => ({
    flow,
    steps: [
      v2({
        json: { flow_id: '{{flow}}', input_value: exampleText(random), mode: 'background' },
        capture: { job_id: 'job_id' },
      }),
      step('GET /api/v2/workflows', { query: { job_id: '{{job_id}}' }, isPolled: true }),
      random.pick([
        step('POST /api/v2/workflows/stop', { json: { job_id: '{{job_id}}' } }),
        step('POST /api/v2/workflows/{job_id}/resume', { json: {} }),
        step('GET /api/v2/workflows/{job_id}/events'),
      ]),
      messages,
    ],
  }),
  // No script has a tool that needs consent: Langflow's agents lose most of these pauses and answer with an empty text.
  'human input': (random, { catalog }) => {
    const flow = generateQuestion(random, catalog);
    const choices = /** @type {any} */ (flow.nodes[0].data.node).template.decisions.value;
    const ids = choices.map((/** @type {string} */ one) => one.toLowerCase().replaceAll(' ', '_'));
    const action_id = random.pick([...ids, ...ids, 'fallback', 'unknown', '']);
    return { flow, steps: paused(exampleText(random), { action_id }) };
  },
  'ag-ui': (random, { flow }) => ({
    flow,
    steps: [
      v2({
        json: {
          flow_id: '{{flow}}',
          input_value: exampleText(random),
          mode: 'stream',
          stream_protocol: 'agui',
          ...random.pick([{}, { expose_graph_state: true }, { tweaks: tweaksFor(random, flow) }]),
        },
      }),
      messages,
    ],
  }),
  webhook: (random, { catalog }) => {
    const flow = generateFlow(random, catalog, 'Webhook');
    const json = random.pick([{ text: 'hello' }, { a: { b: [1, null] } }, [], [1, 2], {}]);
    return {
      flow,
      steps: [
        step('POST /api/v1/webhook/{flow}', { json, ...random.pick([{}, { query: { a: 'b' } }]) }),
        { ...messages, isPolled: true },
      ],
    };
  },
  'signed ingress': (random, { catalog }) => {
    const flow = generateFlow(random, catalog, 'InboundWebhookTrigger');
    const json = { text: exampleText(random) };
    const secret = random.pick(['{{secret}}', '{{secret}}', 'wrong']);
    return {
      flow,
      steps: [
        step('GET /api/v1/triggers', { query: { flow_id: '{{flow}}' }, capture: { trigger: '0.id' } }),
        step('GET /api/v1/triggers/{trigger}'),
        step('POST /api/v1/triggers/{trigger}/enable'),
        step('POST /api/v1/triggers/{trigger}/signing-secret', {
          capture: { secret: 'signing_secret', public_id: 'public_id' },
          isSetup: true,
        }),
        step('GET /api/v1/triggers/{trigger}/ingress'),
        step('POST /api/v1/triggers/ingress/webhook/{public_id}', { json, secret }),
        // An event that was accepted is dispatched a little later.
        step('GET /api/v1/triggers/{trigger}/events', secret === 'wrong' ? {} : { isPolled: true }),
      ],
    };
  },
  'schedule trigger': (random) => ({
    steps: [
      step('POST /api/v1/triggers', {
        json: {
          flow_id: '00000000-0000-0000-0000-000000000001',
          name: random.pick(['nightly', '', 'x'.repeat(300)]),
          kind: random.pick(['schedule', 'webhook', 'unknown']),
          config: random.pick([{ cron: '0 3 * * *' }, { cron: 'wrong' }, {}, { interval_seconds: 60 }]),
        },
      }),
      step('GET /api/v1/triggers'),
    ],
  }),
  'mcp over HTTP': (random, { flow }) => {
    const route = 'POST /api/v1/mcp/project/{project}/streamable';
    const headers = { accept: 'application/json, text/event-stream' };
    const send = (/** @type {Json} */ json) => step(route, { headers, json });
    return {
      flow,
      steps: [
        project,
        exposed,
        send(initialize),
        send(initialized),
        ...calls(random).map((json) => send(json)),
      ],
    };
  },
  'mcp over SSE': (random, { flow }) => ({
    flow,
    steps: [
      project,
      exposed,
      step('GET /api/v1/mcp/project/{project}/sse', {
        messages: [initialize, initialized, ...calls(random)],
      }),
    ],
  }),
  'a flow, whole': (random, { flow }) => ({
    flow,
    steps: [
      step('GET /api/v1/flows/{flow}'),
      step('PATCH /api/v1/flows/{flow}', {
        json: random.pick([
          { name: 'Renamed' },
          { description: 'changed' },
          { endpoint_name: 'end-{{play}}' },
          { locked: true },
          { tags: ['a'] },
        ]),
      }),
      step('GET /api/v1/flows/{flow}'),
      step('POST /api/v1/run/{flow}', { json: { input_value: 'hello' } }),
      step('DELETE /api/v1/flows/{flow}'),
      step('GET /api/v1/flows/{flow}'),
      step('POST /api/v1/run/{flow}', { json: { input_value: 'hello' } }),
      messages,
    ],
  }),
  'a variable, whole': (random) => ({
    steps: whole('variables', {
      made: {
        name: 'v-{{play}}',
        value: exampleText(random),
        type: random.pick(['Generic', 'Credential']),
        default_fields: [],
      },
      change: { id: '{{made}}', ...random.pick([{ value: 'changed' }, { name: 'w-{{play}}' }]) },
    }),
  }),
  'a project, whole': (random) => ({
    steps: whole('projects', {
      made: { name: 'p-{{play}}', description: exampleText(random), flows_list: [], components_list: [] },
      change: random.pick([{ name: 'q-{{play}}' }, { description: 'changed' }]),
    }),
  }),
  'messages, whole': (random, { flow }) => ({
    flow,
    steps: [
      step('POST /api/v1/run/{flow}', {
        json: { input_value: exampleText(random), session_id: 's-{{play}}' },
      }),
      { ...messages, capture: { message: '0.id' } },
      step('PUT /api/v1/monitor/messages/{message}', {
        json: random.pick([{ text: 'edited' }, { error: true }]),
      }),
      messages,
      random.pick([
        step('DELETE /api/v1/monitor/messages', { json: ['{{message}}'] }),
        step('DELETE /api/v1/monitor/messages/session/s-{{play}}'),
      ]),
      messages,
    ],
  }),
};

/**
 * Returns a run in the background that a decision lets go on, the decision given again, and what the run left.
 * @param {string} input
 * @param {JsonObject} decision
 */
function paused(input, decision) {
  const job = step('GET /api/v2/workflows', { query: { job_id: '{{job_id}}' }, isPolled: true });
  const resume = step('POST /api/v2/workflows/{job_id}/resume', {
    json: { request_id: '{{request_id}}', decision },
  });
  return [
    v2({
      json: { flow_id: '{{flow}}', input_value: input, mode: 'background' },
      capture: { job_id: 'job_id' },
    }),
    job,
    step('GET /api/v2/workflows/pending', {
      query: { flow_id: '{{flow}}' },
      capture: { request_id: '0.request_id' },
    }),
    resume,
    job,
    resume,
    step('GET /api/v2/workflows/pending', { query: { flow_id: '{{flow}}' } }),
    messages,
  ];
}

/**
 * Returns what makes, reads, changes and deletes an object.
 * @param {string} collection
 * @param {{ readonly made: JsonObject, readonly change: JsonObject }} bodies
 */
function whole(collection, { made, change }) {
  const one = `/api/v1/${collection}/{made}`;
  const reading = collection === 'variables' ? step('GET /api/v1/variables/') : step(`GET ${one}`);
  return [
    step(`POST /api/v1/${collection}/`, { json: made, capture: { made: 'id' } }),
    reading,
    step(`PATCH ${one}`, { json: change }),
    reading,
    step(`DELETE ${one}`),
    reading,
    step(`DELETE ${one}`),
  ];
}

/**
 * @param {Random} random
 * @returns {readonly JsonObject[]}
 */
function calls(random) {
  const request = (
    /** @type {number} */ id,
    /** @type {string} */ method,
    /** @type {JsonObject} */ params,
  ) => ({
    jsonrpc: '2.0',
    id,
    method,
    params,
  });
  const name = random.pick(['answer', 'answer', 'missing']);
  const given = random.pick([{ input_value: exampleText(random) }, {}, { input_value: 1 }]);
  return [
    request(2, 'tools/list', {}),
    request(3, 'tools/call', { name, arguments: given }),
    request(4, random.pick(['resources/list', 'prompts/list', 'ping', 'unknown/method']), {}),
  ];
}
