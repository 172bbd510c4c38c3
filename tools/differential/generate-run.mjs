import { exampleText, plausibleValue, wrongValue } from './field-values.mjs';

/** @import { Random } from '../../chaos/random.mjs' */
/** @import { Field, Flow, Json, JsonObject, Step } from './case.ts' */
/** @import { Catalog } from './read-catalog.mjs' */

const RUN = 'POST /api/v1/run/{flow_id_or_name}';
const messages = 'GET /api/v1/monitor/messages';
/** In the input of a run whose model fails. */
const REFUSED = /\[\[(?:status|cut)=/;

/**
 * Returns the requests that run a flow in one of the forms, and that read the messages that it stored.
 * @param {Random} random
 * @param {Flow} flow
 * @param {Catalog} catalog
 * @returns {{ readonly form: string, readonly steps: readonly Step[] }}
 */
export function generateRun(random, flow, catalog) {
  const isWebhook = flow.nodes.some(({ data }) => data.type === 'Webhook');
  const hasChat = flow.nodes.some(({ data }) => data.type === 'ChatInput');
  const names = Object.keys(forms).filter((name) => name !== 'responses' || hasChat);
  const form = isWebhook && random.chance(0.6) ? 'webhook' : random.pick(names);
  const input = inputFor(random, flow, catalog);
  const steps = form === 'webhook' ? webhook(random, input) : forms[form](random, flow, input);
  const stored = { ...get('/api/v1/monitor/messages', messages), query: { flow_id: '{{flow}}' } };
  const isRefused = REFUSED.test(JSON.stringify(steps));
  return {
    form: isRefused ? `refused ${form}` : form,
    steps: [...steps, form === 'webhook' ? { ...stored, isPolled: true } : stored],
  };
}

/**
 * The forms of a run; a form that stands here twice is generated twice as often.
 * @type {Readonly<Record<string, (random: Random, flow: Flow, input: string) => readonly Step[]>>}
 */
const forms = {
  simple: (_random, _flow, input) => [run({ input_value: input })],
  'no input': () => [run({})],
  stream: (random, flow, input) => [
    {
      ...run({ input_value: input, ...random.pick([{}, { tweaks: tweaksFor(random, flow) }]) }),
      query: { stream: 'true' },
    },
  ],
  advanced: (random, _flow, input) => [
    post('/api/v1/run/advanced/{{flow}}', 'POST /api/v1/run/advanced/{flow_id_or_name}', {
      inputs: [{ components: [], input_value: input, type: random.pick(['chat', 'any']) }],
      outputs: [],
      stream: false,
    }),
  ],
  types: (random, _flow, input) => [
    run({
      input_value: input,
      input_type: random.pick(['chat', 'text', 'any']),
      output_type: random.pick(['chat', 'text', 'any', 'debug']),
    }),
  ],
  component: (random, flow, input) => [
    run({
      input_value: input,
      output_component: random.pick([lastOf(flow).id, lastOf(flow).data.node.display_name]),
    }),
  ],
  tweaks: (random, flow, input) => [run({ input_value: input, tweaks: tweaksFor(random, flow) })],
  'more tweaks': (random, flow, input) => [
    run({ input_value: input, tweaks: { ...tweaksFor(random, flow), ...tweaksFor(random, flow) } }),
  ],
  session: (random, flow, input) => {
    const session_id = random.pick(['s-1', 'a session', 'ünïcode/1', 'x'.repeat(60)]);
    // A frozen vertex of Langflow gives its last result, also for another input.
    const again = flow.nodes.some(({ data }) => data.node.frozen === true) ? input : 'and again';
    return [run({ input_value: input, session_id }), run({ input_value: again, session_id })];
  },
  'v2 workflow': (random, _flow, input) => [
    post('/api/v2/workflows', 'POST /api/v2/workflows', {
      flow_id: '{{flow}}',
      input_value: input,
      ...random.pick([{}, { mode: 'sync' }, { session_id: 's-2' }]),
    }),
  ],
  'v2 stream': (random, _flow, input) => [
    post('/api/v2/workflows', 'POST /api/v2/workflows', {
      flow_id: '{{flow}}',
      input_value: input,
      mode: 'stream',
      ...random.pick([{}, {}, { stream_protocol: 'agui' }]),
    }),
  ],
  responses: (random, _flow, input) => [
    post('/api/v1/responses', 'POST /api/v1/responses', {
      model: '{{flow}}',
      input: input === '' ? 'hello' : input,
      ...random.pick([{}, { stream: true }]),
    }),
  ],
};

/**
 * @param {Random} random
 * @param {string} input
 * @returns {readonly Step[]}
 */
function webhook(random, input) {
  const step = {
    route: 'POST /api/v1/webhook/{flow_id_or_name}',
    method: 'POST',
    path: '/api/v1/webhook/{{flow}}',
  };
  return [
    random.pick([
      { ...step, json: { text: input, n: 1 } },
      { ...step, text: 'plain text' },
      { ...step, json: {} },
    ]),
  ];
}

/**
 * Returns tweaks by id, by display name, by type, by field, nested, of unknown vertices, or of a wrong kind.
 * @param {Random} random
 * @param {Flow} flow
 * @returns {JsonObject}
 */
export function tweaksFor(random, flow) {
  const node = random.pick(flow.nodes);
  const fields = Object.entries(node.data.node.template).flatMap(([name, field]) =>
    typeof field === 'object' && !/^code$|^_|api_key|^model$/.test(name) && field.show !== false
      ? [{ name, field }]
      : [],
  );
  if (fields.length === 0) return { [node.id]: { missing: 1 } };
  const { name, field } = random.pick(fields);
  const value = plausibleValue(random, /** @type {Field} */ (field)) ?? exampleText(random);
  return random.pick([
    { [node.id]: { [name]: value } },
    { [node.id]: { [name]: value } },
    { [node.data.node.display_name]: { [name]: value } },
    { [node.data.type]: { [name]: value } },
    { [node.data.node.display_name]: { [name]: { value } } },
    { [node.id]: { [name]: { value, type: 'str', nested: { value } } } },
    { [node.id]: value },
    { [node.id]: { [name]: { value, load_from_db: false } } },
    typeof value === 'string' || typeof value === 'number'
      ? { [name]: value }
      : { [node.id]: { [name]: value } },
    { [node.id]: { [name]: wrongValue(random) } },
    { 'Missing-abcde': { [name]: value } },
  ]);
}

/**
 * Returns an input; one that calls a tool where the flow has an agent with tools, and sometimes one that a model refuses.
 * @param {Random} random
 * @param {Flow} flow
 * @param {Catalog} catalog
 */
function inputFor(random, flow, { templates }) {
  const text = exampleText(random);
  const refusal = asksModel(flow) && random.chance(0.2) ? `[[${random.pick(refusals)}]] ` : '';
  const tool = flow.nodes.find(
    ({ data }) => data.node.tool_mode === true && data.node.outputs[0]?.method === 'to_toolkit',
  );
  if (tool === undefined || random.chance(0.2)) return `${refusal}${text}`;
  return `${refusal}[[call=${templates[tool.data.type].outputs[0].method}]] ${text}`;
}

/** How a model fails: by a status, by a connection that breaks before its answer, or within it. */
const refusals = [
  'status=400',
  'status=401',
  'status=403',
  'status=404',
  'status=422',
  'status=429',
  'status=500',
  'cut=0',
  'cut=2 interval=50',
];

/** @param {Flow} flow */
const asksModel = ({ nodes }) =>
  nodes.some(({ data: { node } }) => ['model', 'model_name'].some((name) => name in node.template));

/** @param {Flow} flow */
const lastOf = ({ nodes }) => nodes.find(({ data }) => data.type === 'ChatOutput') ?? nodes[0];

/** @param {JsonObject} json */
const run = (json) => post('/api/v1/run/{{flow}}', RUN, json);

/**
 * @param {string} path
 * @param {string} route
 * @param {Json} json
 * @returns {Step}
 */
const post = (path, route, json) => ({ route, method: 'POST', path, json });

/**
 * @param {string} path
 * @param {string} route
 * @returns {Step}
 */
const get = (path, route) => ({ route, method: 'GET', path });
