import { flowData, node } from '@millrace/testing';

/** @import { FlowFile } from '../flows.mjs' */

/** How long a question waits before the fallback counts; a minute is the shortest time. */
const TIMEOUT = { value: 1, unit: 'Minutes' };
/** The choices of a question, and of a call of a tool. */
export const CHOICES = /** @type {const} */ (['approve', 'reject']);
export const APPROVALS = /** @type {const} */ (['approve', 'edit', 'reject', 'respond']);
/** The choice of a question that is not answered in time. */
export const FALLBACK = 'fallback';

/**
 * Returns the vertex whose effect is that of a choice.
 * @param {string} choice
 */
export function vertexOf(choice) {
  return `APIRequest-${choice}`;
}

/**
 * Returns the flows that wait for a person. `asking`: a webhook, a GET whose answer is the address of the effect, a question,
 * and an effect for each choice. `consent`: an agent whose tool, which has an effect, a person approves. `waiting`: a question
 * without an end. `timed`: one whose fallback counts after a minute.
 * @param {string} sinkUrl
 */
export function suspendedFlows(sinkUrl) {
  return {
    asking: askingFlow(sinkUrl),
    consent: consentFlow(),
    waiting: waitingFlow('chaos-waiting', sinkUrl, {
      timeout: { type: 'dict', value: { value: 0, unit: 'Days' } },
    }),
    timed: waitingFlow('chaos-timed', sinkUrl, {
      timeout: { type: 'dict', value: TIMEOUT },
      enable_fallback: true,
    }),
  };
}

/**
 * Webhook → Parser → Human Input → API Request for each outcome.
 * @param {string} name
 * @param {string} sinkUrl
 * @param {Readonly<Record<string, object | boolean>>} fields of the Human Input
 * @returns {FlowFile}
 */
function waitingFlow(name, sinkUrl, fields) {
  const branches = ['approve', ...('enable_fallback' in fields ? [FALLBACK] : [])];
  const pattern = `${sinkUrl}/effect/{token}/{milliseconds}`;
  const nodes = [
    node('Webhook-in', { data: '' }, 'output_data'),
    node('ParserComponent-url', { input_data: '', mode: 'Parser', pattern, sep: '\n' }, 'parsed_text'),
    node('HumanInput-ask', { prompt: '', ...fields }, ...branches.map((branch) => `branch_${branch}`)),
    ...branches.map((branch) =>
      node(vertexOf(branch), { url_input: '', method: 'POST', mode: 'URL' }, 'data'),
    ),
  ];
  return file(name, nodes, [
    'Webhook-in.output_data > ParserComponent-url.input_data',
    'ParserComponent-url.parsed_text > HumanInput-ask.prompt',
    ...branches.map((branch) => `HumanInput-ask.branch_${branch} > ${vertexOf(branch)}.url_input`),
  ]);
}

/**
 * @param {string} sinkUrl
 * @returns {FlowFile}
 */
function askingFlow(sinkUrl) {
  const branches = [...CHOICES, FALLBACK];
  const parser = (/** @type {string} */ id, /** @type {string} */ pattern) =>
    node(id, { input_data: '', mode: 'Parser', pattern, sep: '\n' }, 'parsed_text');
  const question = {
    prompt: '',
    timeout: { type: 'dict', value: TIMEOUT },
    enable_fallback: true,
  };
  const nodes = [
    node('Webhook-in', { data: '' }, 'output_data'),
    parser('ParserComponent-look', `${sinkUrl}/look/{token}`),
    node('APIRequest-look', { url_input: '', method: 'GET', mode: 'URL' }, 'data'),
    parser('ParserComponent-effect', '{result}'),
    node('HumanInput-ask', question, ...branches.map((name) => `branch_${name}`)),
    ...branches.flatMap((name) => [
      node(vertexOf(name), { url_input: '', method: 'POST', mode: 'URL' }, 'data'),
      node(`ChatOutput-${name}`, { input_value: '', should_store_message: true }, 'message'),
    ]),
  ];
  const edges = [
    'Webhook-in.output_data > ParserComponent-look.input_data',
    'ParserComponent-look.parsed_text > APIRequest-look.url_input',
    'APIRequest-look.data > ParserComponent-effect.input_data',
    'ParserComponent-effect.parsed_text > HumanInput-ask.prompt',
    ...branches.flatMap((name) => [
      `HumanInput-ask.branch_${name} > ${vertexOf(name)}.url_input`,
      `${vertexOf(name)}.data > ChatOutput-${name}.input_value`,
    ]),
  ];
  return file('chaos-asking', nodes, edges);
}

/** @returns {FlowFile} */
function consentFlow() {
  const model = { type: 'model', value: [{ name: 'gpt-4o-mini', provider: 'OpenAI', metadata: {} }] };
  const name = 'make_api_request';
  const row = { name, tags: [name], status: true, approval_actions: APPROVALS };
  const tool = node(
    'APIRequest-tool',
    {
      url_input: '',
      method: 'POST',
      mode: 'URL',
      tools_metadata: { type: 'table', value: [row] },
    },
    { name: 'component_as_tool', types: ['Tool'], method: 'to_toolkit' },
  );
  Object.assign(tool.data.node, { tool_mode: true });
  const nodes = [
    node('ChatInput-in', { input_value: '', should_store_message: true }, 'message'),
    tool,
    node(
      'Agent-a',
      { model, input_value: '', system_prompt: 'Be brief.', add_current_date_tool: false },
      'response',
    ),
    node('ChatOutput-out', { input_value: '', should_store_message: true }, 'message'),
  ];
  return file('chaos-consent', nodes, [
    'ChatInput-in.message > Agent-a.input_value',
    'APIRequest-tool.component_as_tool > Agent-a.tools',
    'Agent-a.response > ChatOutput-out.input_value',
  ]);
}

/**
 * Returns the input of a run of `consent`: the model calls the tool with the address of the effect.
 * @param {string} sinkUrl
 * @param {string} token
 */
export function consentInput(sinkUrl, token) {
  return `${token} [[call=make_api_request with="url_input=${effectUrl(sinkUrl, token)}"]]`;
}

/**
 * @param {string} sinkUrl
 * @param {string} token
 */
export function effectUrl(sinkUrl, token) {
  return `${sinkUrl}/effect/${token}/20`;
}

/**
 * @param {string} name
 * @param {Parameters<typeof flowData>[0]} nodes
 * @param {readonly string[]} edges
 * @returns {FlowFile}
 */
function file(name, nodes, edges) {
  return { name, endpoint_name: name, data: flowData(nodes, edges) };
}
