import { flow, node, runFlow, edge } from '../testing/flow-under-test.fixture';

const converting = async (output: string, input: string, auto_parse = true): Promise<unknown> => {
  const document = flow(
    [
      node('TextInput-a', 'TextInput'),
      node('Convert-b', 'TypeConverterComponent', { auto_parse }),
      node('ChatOutput-z', 'ChatOutput'),
    ],
    [
      edge('TextInput-a', 'text', 'Convert-b', 'input_data'),
      edge('Convert-b', output, 'ChatOutput-z', 'input_value'),
    ],
  );
  const tweaks = { 'TextInput-a': { input_value: input } };
  const { result } = await runFlow(document, { tweaks, show: 'Convert-b' });
  return JSON.parse(JSON.stringify(result?.outputs[output]?.message)) as unknown;
};

test.each([
  ['{"a":1,"b":[1,2]}', { a: 1, b: [1, 2] }],
  ['[{"a":1},{"a":2}]', { records: [{ a: 1 }, { a: 2 }] }],
  [
    'a,b\n1,2\n3,4',
    {
      records: [
        { a: 1, b: 2 },
        { a: 3, b: 4 },
      ],
    },
  ],
  [
    'a,b\n1,x\n,"y,z"',
    {
      records: [
        { a: 1, b: 'x' },
        { a: null, b: 'y,z' },
      ],
    },
  ],
  ['a,b\n1,2,3', { text: 'a,b\n1,2,3' }],
  ['not json', { text: 'not json' }],
  ['42', { text: '42' }],
  ['\uFEFF{"a":1}', { a: 1 }],
])('parses the text %j', async (text, expected) => {
  expect(await converting('data_output', text)).toEqual(expected);
});

test('without parsing, a text stays a text', async () => {
  expect(await converting('data_output', '{"a":1}', false)).toEqual({ text: '{"a":1}' });
});

test('items of a list become rows of a table; absent values are missing', async () => {
  expect(await converting('dataframe_output', '[{"a":1,"b":"x"},{"a":2}]')).toEqual([
    { a: 1, b: 'x' },
    { a: 2, b: null },
  ]);
});

test.each([
  ['{"text":"abc","n":1}', 'abc'],
  ['{"a":1}', "{'a': 1}"],
])('data %s as a message is %s', async (webhook, expected) => {
  const document = flow(
    [
      node('Webhook-a', 'Webhook'),
      node('Convert-b', 'TypeConverterComponent'),
      node('ChatOutput-z', 'ChatOutput'),
    ],
    [
      edge('Webhook-a', 'output_data', 'Convert-b', 'input_data'),
      edge('Convert-b', 'message_output', 'ChatOutput-z', 'input_value'),
    ],
  );
  expect((await runFlow(document, { webhook })).text).toBe(expected);
});

test('each output shows its own value as the status', async () => {
  const outputs = ['message_output', 'data_output', 'dataframe_output'];
  const document = flow(
    [
      node('TextInput-a', 'TextInput', { input_value: '{"a":1}' }),
      node('Convert-b', 'TypeConverterComponent', { auto_parse: true }),
      ...outputs.map((output) => node(`ChatOutput-${output}`, 'ChatOutput')),
    ],
    [
      edge('TextInput-a', 'text', 'Convert-b', 'input_data'),
      ...outputs.map((output) => edge('Convert-b', output, `ChatOutput-${output}`, 'input_value')),
    ],
  );
  const { result } = await runFlow(document, { show: 'Convert-b' });
  expect(result?.artifacts).toMatchObject({
    message_output: { repr: expect.stringContaining('"text": "{\\"a\\":1}"'), type: 'text' },
    data_output: { repr: '{\n    "a": 1\n}', type: 'object' },
    dataframe_output: { repr: '   a\n0  1', type: 'array' },
  });
  const { repr } = result?.artifacts['message_output'] as { readonly repr: string };
  expect(repr).toMatch(/"timestamp": "2\d{3}-.*"flow_id": "/s);
});
