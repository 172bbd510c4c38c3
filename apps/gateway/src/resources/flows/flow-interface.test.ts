import { gatewayForTests } from '../../testing/test-gateway';

const gateway = gatewayForTests();

const node = (id: string, type: string, displayName: string, template: object) => ({
  id,
  type: 'genericNode',
  data: {
    id,
    type,
    node: { display_name: displayName, template, outputs: [{ name: 'message', types: ['Message'] }] },
  },
});
const field = (type: string, value: unknown, others: object = {}) => ({ type, value, show: true, ...others });
const nodes = [
  node('ChatInput-1', 'ChatInput', 'Question', { input_value: field('str', '') }),
  node('LanguageModelComponent-2', 'LanguageModelComponent', 'Model', {
    input_value: field('str', '', { display_name: 'Input' }),
    api_key: field('str', 'sk-secret', { password: true }),
    base_url: field('str', 'OLLAMA_URL', { load_from_db: true }),
    temperature: field('float', 0.5, { display_name: 'Temperature' }),
    stream: field('bool', true),
    stops: field('str', ['a'], { list: true }),
    system_message: field('str', 'x'.repeat(2_000)),
    hidden: field('str', 'no', { show: false }),
    code: field('code', 'class A: pass'),
  }),
  node('ChatOutput-3', 'ChatOutput', 'Answer', { input_value: field('other', '') }),
];
const edge = (source: string, target: string) => ({
  source,
  target,
  data: {
    sourceHandle: { id: source, name: 'message', output_types: ['Message'] },
    targetHandle: { id: target, fieldName: 'input_value', inputTypes: ['Message'] },
  },
});
const data = {
  nodes,
  edges: [edge('ChatInput-1', 'LanguageModelComponent-2'), edge('LanguageModelComponent-2', 'ChatOutput-3')],
};

interface Described {
  readonly info: object;
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<
    Record<
      string,
      {
        readonly post: {
          readonly requestBody: {
            readonly content: {
              readonly 'application/json': { readonly schema: { readonly properties: object } };
            };
          };
        };
      }
    >
  >;
}

async function describe(flow: Readonly<Record<string, unknown>>): Promise<Described> {
  const id = await gateway.createFlow(flow);
  const answer = await gateway.call('GET', `/api/v1/flows/${id}/openapi.json`);
  expect(answer.status).toBe(200);
  expect(answer.text).not.toContain('sk-secret');
  return answer.json as Described;
}

test('a flow is described by its inputs, outputs and the fields that a request can set', async () => {
  const { info, servers, paths } = await describe({
    name: 'Questions',
    description: 'Answers',
    endpoint_name: 'questions',
    data,
  });
  expect(info).toEqual({ title: 'Questions', version: '1', description: 'Answers' });
  expect(servers).toEqual([{ url: gateway.url }]);
  expect(Object.keys(paths)).toEqual(['/api/v1/run/questions']);
  const { properties } = paths['/api/v1/run/questions']!.post.requestBody.content['application/json'].schema;
  expect(properties).toMatchObject({
    input_value: { type: 'string', description: 'Goes to `ChatInput-1` (Question).' },
    output_component: { enum: ['ChatOutput-3'] },
  });
  const { tweaks } = properties as { tweaks: { properties: Record<string, { properties: object }> } };
  expect(Object.keys(tweaks.properties)).toEqual(['ChatInput-1', 'LanguageModelComponent-2']);
  // A connected, a hidden and a code field are missing; a secret, a long text and the name of a variable are no defaults.
  expect(tweaks.properties['LanguageModelComponent-2']?.properties).toEqual({
    api_key: { type: 'string', writeOnly: true },
    base_url: { type: 'string' },
    temperature: { type: 'number', description: 'Temperature', default: 0.5 },
    stream: { type: 'boolean', default: true },
    stops: { type: 'array', items: { type: 'string' } },
    system_message: { type: 'string' },
  });
});

test('a flow without a document has no fields; one with a webhook has its address, too', async () => {
  const empty = await describe({ name: 'Empty', data: null });
  const [[path = '', run] = []] = Object.entries(empty.paths);
  expect(path).toMatch(/^\/api\/v1\/run\/[0-9a-f-]{36}$/);
  expect(run?.post.requestBody.content['application/json'].schema.properties).toMatchObject({
    input_value: { description: 'This flow has no input.' },
    tweaks: { properties: {} },
  });
  const hook = await describe({
    name: 'Hook',
    endpoint_name: 'hook',
    data: { nodes: [node('Webhook-1', 'Webhook', 'Webhook', { data: field('str', '') })], edges: [] },
  });
  expect(Object.keys(hook.paths)).toEqual(['/api/v1/run/hook', '/api/v1/webhook/hook']);
});

test('an unknown flow, an id that is none and a missing key are refused as by other routes of flows', async () => {
  const path = (id: string) => `/api/v1/flows/${id}/openapi.json`;
  const unknown = await gateway.call('GET', path('00000000-0000-4000-8000-000000000009'));
  expect([unknown.status, unknown.json]).toEqual([404, { detail: 'Flow not found' }]);
  expect((await gateway.call('GET', path('none'))).status).toBe(422);
  const id = await gateway.createFlow({ name: 'Kept', data: null });
  const [described, read] = await Promise.all(
    [path(id), `/api/v1/flows/${id}`].map((one) =>
      gateway.call('GET', one, undefined, { 'x-api-key': 'sk-wrong' }),
    ),
  );
  expect([described?.status, described?.json]).toEqual([read?.status, read?.json]);
});
