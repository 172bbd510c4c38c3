import { flowData, node } from '@millrace/testing';
import type { FlowData } from '@millrace/testing';
import { canaries } from './canaries';

const fromVariable = (name: string) => ({ type: 'str', load_from_db: true, value: name });
const chatInput = node('ChatInput-i', { input_value: '' }, 'message');
const chatOutput = node('ChatOutput-o', { input_value: '' }, 'message');
/** Fails with its input, so that each text that reaches it becomes an error. */
const failing = node(
  'JavaScriptFunction-s',
  { script: 'if (input.includes("please fail")) throw new Error(input); input' },
  'message',
);

function modelNode(apiKey: Readonly<Record<string, unknown>>, systemMessage: string) {
  return node(
    'OpenAIModel-m',
    {
      input_value: '',
      model_name: 'gpt-4o',
      api_key: { type: 'str', password: true, value: '', ...apiKey },
      system_message: fromVariable(systemMessage),
    },
    'text_output',
  );
}

function modelFlow(apiKey: Readonly<Record<string, unknown>>, systemMessage = 'FROM_HEADER'): FlowData {
  return flowData(
    [chatInput, modelNode(apiKey, systemMessage), failing, chatOutput],
    [
      'ChatInput-i.message > OpenAIModel-m.input_value',
      'OpenAIModel-m.text_output > JavaScriptFunction-s.input_value',
      'JavaScriptFunction-s.message > ChatOutput-o.input_value',
    ],
  );
}

/** A model's answer about what another flow returned. */
function outerFlow(inner: string): FlowData {
  const field = 'ChatInput-i~input_value';
  return flowData(
    [
      chatInput,
      node('RunFlow-r', { flow_name_selected: inner, [field]: '' }, 'flow_outputs_message'),
      node(
        'OpenAIModel-m',
        { input_value: '', model_name: 'gpt-4o', api_key: fromVariable('OPENAI_API_KEY') },
        'text_output',
      ),
      chatOutput,
    ],
    [
      `ChatInput-i.message > RunFlow-r.${field}`,
      'RunFlow-r.flow_outputs_message > OpenAIModel-m.input_value',
      'OpenAIModel-m.text_output > ChatOutput-o.input_value',
    ],
  );
}

function mcpNode(server: string, isTool: boolean) {
  const fields = { mcp_server: { type: 'mcp', value: { name: server, config: {} } }, tool: 'credentials' };
  return isTool
    ? node('MCPTools-t', { ...fields, tool_mode: true }, { name: 'component_as_tool', types: ['Tool'] })
    : node('MCPTools-t', fields, { name: 'response', types: ['DataFrame'] });
}

function toolFlow(server: string): FlowData {
  const agent = {
    model: { type: 'model', value: [{ name: 'gpt-4o', provider: 'OpenAI', metadata: {} }] },
    api_key: { ...fromVariable('OPENAI_API_KEY'), password: true },
    input_value: '',
    tools: { type: 'other', value: '' },
    stream: false,
  };
  return flowData(
    [chatInput, mcpNode(server, true), node('Agent-a', agent, 'response'), chatOutput],
    [
      'ChatInput-i.message > Agent-a.input_value',
      'MCPTools-t.component_as_tool > Agent-a.tools',
      'Agent-a.response > ChatOutput-o.input_value',
    ],
  );
}

function answerFlow(source: ReturnType<typeof node>, output: string): FlowData {
  return flowData([source, chatOutput], [`${source.id}.${output} > ChatOutput-o.input_value`]);
}

/** Returns flows that show each secret that they have, by name; `services` is the address of echoing services. */
export function leakingFlows(services: string): Readonly<Record<string, FlowData>> {
  const address = new URL('/page', services);
  [address.username, address.password] = ['user', canaries.addressPassword];
  const request = {
    url_input: { type: 'str', value: address.href },
    method: 'GET',
    mode: 'URL',
    headers: { type: 'table', value: [{ key: 'X-Key', value: canaries.savedHeader }] },
  };
  const database = `postgresql://user:${canaries.connectionString}@127.0.0.1:1/absent`;
  return {
    variable: modelFlow(fromVariable('CANARY')),
    loose: modelFlow(fromVariable('OPENAI_API_KEY'), 'CANARY'),
    plain: modelFlow(fromVariable('PLAIN')),
    environment: modelFlow(fromVariable('OPENAI_API_KEY')),
    saved: modelFlow({ value: canaries.savedKey }),
    outer: outerFlow('variable'),
    request: answerFlow(node('APIRequest-q', request, 'data'), 'data'),
    database: answerFlow(
      node('SQLComponent-d', { database_url: database, query: 'SELECT 1' }, 'run_sql_query'),
      'run_sql_query',
    ),
    'remote-tool': toolFlow('canary-remote'),
    'local-tool': toolFlow('canary-local'),
    'remote-answer': answerFlow(mcpNode('canary-remote', false), 'response'),
    webhook: flowData(
      [
        node('Webhook-w', { data: '' }, 'output_data'),
        node('JavaScriptFunction-s', { script: 'throw new Error("no")' }, 'message'),
      ],
      ['Webhook-w.output_data > JavaScriptFunction-s.input_value'],
    ),
  };
}
