import { failureOf, flow, node, runFlow, edge } from '../testing/flow-under-test.fixture';
import type { RunUnderTest } from '../testing/flow-under-test.fixture';
import {
  callTools,
  refuse,
  streamText,
  startModelServerUnderTest,
} from '../integrations/openai/openai-server.fixture';
import type { ModelServerUnderTest } from '../integrations/openai/openai-server.fixture';

let server: ModelServerUnderTest;
beforeEach(async () => {
  server = await startModelServerUnderTest();
});
afterEach(() => server.close());

const people = [
  { name: 'name', description: 'who', type: 'str', multiple: 'False' },
  { name: 'size', description: 'how tall', type: 'float', multiple: false },
  { name: 'likes', description: 'what', type: 'str', multiple: 'True' },
];
const finding = (values: Record<string, unknown> = {}, output = 'structured_output'): unknown =>
  flow(
    [
      node('ChatInput-a', 'ChatInput'),
      node('StructuredOutput-s', 'StructuredOutput', {
        model: [{ name: 'gpt-4o-mini', provider: 'OpenAI', metadata: {} }],
        system_prompt: 'Find people.',
        output_schema: people,
        ...values,
      }),
      node('ChatOutput-z', 'ChatOutput'),
    ],
    [
      edge('ChatInput-a', 'message', 'StructuredOutput-s', 'input_value'),
      edge('StructuredOutput-s', output, 'ChatOutput-z', 'input_value'),
    ],
  );
const find = (document: unknown): Promise<RunUnderTest> =>
  runFlow(document, {
    input: 'Ann and Bo',
    variables: { OPENAI_BASE_URL: server.url, OPENAI_API_KEY: 'sk-stored' },
  });

test('an empty text is no message', async () => {
  server.answers.push(callTools(['OutputModel', { objects: [{ name: 'Ann', size: 1, likes: [] }] }]));
  await runFlow(finding(), {
    input: '',
    variables: { OPENAI_BASE_URL: server.url, OPENAI_API_KEY: 'sk-stored' },
  });
  expect(server.requests[0]?.body.messages).toEqual([{ role: 'system', content: 'Find people.' }]);
});

test('makes the model call a function whose arguments are the objects', async () => {
  server.answers.push(
    callTools(['OutputModel', { objects: [{ name: 'Ann', size: 1, likes: ['tea'], x: 1 }] }]),
  );
  const home = { name: 'home_town2b', description: '', type: 'dict', multiple: false };
  const { text } = await find(finding({ output_schema: [...people, home] }));
  expect(text).toBe(
    '```json\n{\n  "name": "Ann",\n  "size": 1.0,\n  "likes": [\n    "tea"\n  ],\n  "home_town2b": null\n}\n```',
  );
  expect(server.requests[0]?.body).toMatchObject({
    messages: [
      { role: 'system', content: 'Find people.' },
      { role: 'user', content: 'Ann and Bo' },
    ],
    tool_choice: { type: 'function', function: { name: 'OutputModel' } },
  });
  expect(server.requests[0]?.body['tools']).toEqual([
    {
      type: 'function',
      function: {
        name: 'OutputModel',
        description: 'A list of OutputModel.',
        parameters: {
          $defs: {
            OutputModel: {
              type: 'object',
              title: 'OutputModel',
              properties: {
                name: { type: 'string', title: 'Name', description: 'who' },
                size: { type: 'number', title: 'Size', description: 'how tall' },
                likes: { type: 'array', items: { type: 'string' }, title: 'Likes', description: 'what' },
                home_town2b: {
                  type: 'object',
                  additionalProperties: true,
                  title: 'Home Town2B',
                  description: '',
                },
              },
              required: ['name', 'size', 'likes', 'home_town2b'],
            },
          },
          type: 'object',
          title: 'OutputModel',
          description: 'A list of OutputModel.',
          properties: {
            objects: {
              type: 'array',
              minItems: 1,
              items: { $ref: '#/$defs/OutputModel' },
              title: 'Objects',
              description: 'A list of OutputModel.',
            },
          },
          required: ['objects'],
        },
      },
    },
  ]);
});

test('several objects become `results`, and rows of a table', async () => {
  const objects = [{ name: 'Ann', size: '1.5' }, { name: 'Bo' }];
  server.answers.push(callTools(['OutputModel', { objects }]), callTools(['OutputModel', { objects }]));
  const { result } = await runFlow(finding(), {
    input: 'x',
    variables: { OPENAI_BASE_URL: server.url, OPENAI_API_KEY: 'sk' },
    show: 'StructuredOutput-s',
  });
  expect(result?.outputs['structured_output']?.message).toEqual({
    results: [
      { name: 'Ann', size: 1.5, likes: null },
      { name: 'Bo', size: null, likes: null },
    ],
  });
  expect((await find(finding({}, 'dataframe_output'))).text).toMatch(/\| name .*\n.*\n\| Ann .*\n\| Bo /);
});

test('requests JSON from a model that calls no function', async () => {
  server.answers.push(streamText('I would rather not.'), streamText('{"objects": [{"name": "Ann"}]}'));
  expect((await find(finding({ schema_name: 'People found' }))).text).toContain('"name": "Ann"');
  expect(server.requests[1]?.body).toMatchObject({
    response_format: { type: 'json_schema', json_schema: { name: 'People_found' } },
  });
});

test('reads the type "list" of older tables as several texts', async () => {
  server.answers.push(callTools(['OutputModel', { objects: [{ skills: ['tea', 'maths'] }] }]));
  const skills = { name: 'skills', description: 'what she can', type: 'list', multiple: 'False' };
  const { text } = await find(finding({ output_schema: [skills] }));
  expect(JSON.parse(String(text).replaceAll('```', '').replace('json', ''))).toEqual({
    skills: ['tea', 'maths'],
  });
  expect(JSON.stringify(server.requests[0]?.body)).toContain(
    '"skills":{"type":"array","items":{},"title":"Skills"',
  );
});

test('uses a connected model, under the input name of older nodes', async () => {
  const document = flow(
    [
      node('OpenAIModel-m', 'OpenAIModel', {
        openai_api_base: server.url,
        api_key: 'sk',
        model_name: 'gpt-4.1',
      }),
      node('ChatInput-a', 'ChatInput'),
      node('StructuredOutput-s', 'StructuredOutput', { output_schema: people }),
      node('ChatOutput-z', 'ChatOutput'),
    ],
    [
      edge('OpenAIModel-m', 'model_output', 'StructuredOutput-s', 'llm'),
      edge('ChatInput-a', 'message', 'StructuredOutput-s', 'input_value'),
      edge('StructuredOutput-s', 'structured_output', 'ChatOutput-z', 'input_value'),
    ],
  );
  server.answers.push(callTools(['OutputModel', { objects: [{ name: 'Ann' }] }]));
  expect((await find(document)).text).toContain('Ann');
  expect(server.requests).toMatchObject([{ body: { model: 'gpt-4.1' } }]);
});

test.each([
  ['no model', { model: '' }, 'A model selection is required'],
  ['no schema', { output_schema: [] }, 'Output schema cannot be empty'],
  ['an unknown type', { output_schema: [{ name: 'a', type: 'x' }] }, 'has an unknown type: x'],
])('refuses %s', async (_, values, reason) => {
  expect(await failureOf(find(finding(values)))).toContain(reason);
});

test('reports an empty answer, and a provider that rejects both methods', async () => {
  server.answers.push(streamText('no'), streamText('never'));
  expect(await failureOf(find(finding()))).toContain('No structured output returned');
  const refusal = refuse(400, { message: 'no tools here' });
  server.answers.push(refusal, refusal);
  expect(await failureOf(find(finding()))).toContain(
    "fallback with_structured_output also failed: Error code: 400 - {'error': {'message': 'no tools here'}}",
  );
});

test.each([401, 403])('asks for JSON and reports both failures, also after status %d', async (status) => {
  const refusal = refuse(status, { message: 'not you' });
  server.answers.push(refusal, refusal);
  expect(await failureOf(find(finding()))).toContain(
    'Model does not support tool calling (trustcall failed) and fallback with_structured_output also failed: ' +
      `Error code: ${status} - {'error': {'message': 'not you'}}`,
  );
  expect(server.requests).toHaveLength(2);
});
