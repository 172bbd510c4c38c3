import { flow, node, runFlow, edge } from '../testing/flow-under-test.fixture';

type Values = Readonly<Record<string, unknown>>;

const operating = (name: string, values: Values): unknown =>
  node('Operations-b', 'Operations', { operation: [{ name, icon: 'x' }], ...values });

test('processes texts and keeps their line breaks', async () => {
  const document = flow(
    [node('ChatInput-a', 'ChatInput'), operating('Text Clean', {}), node('ChatOutput-z', 'ChatOutput')],
    [
      edge('ChatInput-a', 'message', 'Operations-b', 'text_input'),
      edge('Operations-b', 'message_output', 'ChatOutput-z', 'input_value'),
    ],
  );
  expect((await runFlow(document, { input: 'a   b \n\n c' })).text).toBe('a b \n\n c');
});

test('processes data', async () => {
  const document = flow(
    [
      node('Webhook-a', 'Webhook'),
      operating('Select Keys', { input_type: 'JSON', select_keys_input: ['a'] }),
      node('ChatOutput-z', 'ChatOutput'),
    ],
    [
      edge('Webhook-a', 'output_data', 'Operations-b', 'data'),
      edge('Operations-b', 'data_output', 'ChatOutput-z', 'input_value'),
    ],
  );
  const { result } = await runFlow(document, { webhook: '{"a":1,"b":2}', show: 'Operations-b' });
  expect(result?.outputs['data_output']).toEqual({ message: { a: 1 }, type: 'data' });
});

test('processes tables', async () => {
  const document = flow(
    [
      node('CreateList-a', 'CreateList', { texts: ['one', 'two', 'three'] }),
      operating('Filter', {
        input_type: 'Table',
        column_name: 'text',
        filter_operator: 'contains',
        filter_value: 'o',
      }),
      node('ChatOutput-z', 'ChatOutput'),
    ],
    [
      edge('CreateList-a', 'dataframe', 'Operations-b', 'df'),
      edge('Operations-b', 'dataframe_output', 'ChatOutput-z', 'input_value'),
    ],
  );
  expect((await runFlow(document)).text).toBe('| text   |\n|:-------|\n| one    |\n| two    |');
});

test.each([
  ['Word Count', 'message_output', { message: 'a b', type: 'text' }],
  ['Word Count', 'dataframe_output', { message: [], type: 'array' }],
])('%s has only the output of its kind: %s', async (name, output, expected) => {
  const document = flow(
    [node('ChatInput-a', 'ChatInput'), operating(name, {}), node('ChatOutput-z', 'ChatOutput')],
    [
      edge('ChatInput-a', 'message', 'Operations-b', 'text_input'),
      edge('Operations-b', output, 'ChatOutput-z', 'input_value'),
    ],
  );
  const { result } = await runFlow(document, { input: 'a b', show: 'Operations-b' });
  expect(result?.outputs[output]).toEqual(expected);
});
