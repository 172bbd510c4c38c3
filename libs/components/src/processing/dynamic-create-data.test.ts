import { edge, flow, node, runFlow } from '../testing/flow-under-test.fixture';

const rows = (...names: readonly string[]) => names.map((field_name) => ({ field_name, field_type: 'Text' }));

test('has the saved and connected values of the fields that its table names, in their order', async () => {
  const fields = {
    form_fields: [...rows('b', 'a', 'said', 'unset', ''), { field_type: 'Text' }],
    dynamic_a: 0,
    dynamic_b: 'v1',
    dynamic_said: '',
    dynamic_other: 'x',
  };
  const document = flow(
    [node('ChatInput-i', 'ChatInput'), node('DynamicCreateData-c', 'DynamicCreateData', fields)],
    [edge('ChatInput-i', 'message', 'DynamicCreateData-c', 'dynamic_said')],
  );
  const { result } = await runFlow(document, { show: 'DynamicCreateData-c', input: 'hi' });
  expect(result?.outputs['form_data']?.message).toEqual({ b: 'v1', a: 0, said: 'hi', unset: '' });
});

test('of connected data the text is used, else the members', async () => {
  const fields = { form_fields: rows('one', 'two'), dynamic_one: '', dynamic_two: '' };
  const document = flow(
    [
      node('JSONtoData-a', 'JSONtoData', { json_string: '{"text": 5, "x": 1}' }),
      node('JSONtoData-b', 'JSONtoData', { json_string: '{"x": [true]}' }),
      node('DynamicCreateData-c', 'DynamicCreateData', fields),
    ],
    [
      edge('JSONtoData-a', 'data', 'DynamicCreateData-c', 'dynamic_one'),
      edge('JSONtoData-b', 'data', 'DynamicCreateData-c', 'dynamic_two'),
    ],
  );
  const { result } = await runFlow(document, { show: 'DynamicCreateData-c' });
  expect(result?.outputs['form_data']?.message).toEqual({ one: '5', two: { x: [true] } });
  const repr = 'Form processed successfully. 2/2 fields connected to components.';
  expect(result?.artifacts).toMatchObject({ form_data: { repr } });
});

test.each([
  [{ form_fields: [] }, 'No form data available'],
  [
    { form_fields: rows('a', 'n'), dynamic_a: 'v1', dynamic_n: true },
    `📋 Form Data:\n${'='.repeat(40)}\n• a: v1\n• n: True\n${'='.repeat(40)}\nTotal fields: 2`,
  ],
])('lists %j in its message', async (fields, text) => {
  const document = flow(
    [node('DynamicCreateData-c', 'DynamicCreateData', fields), node('ChatOutput-o', 'ChatOutput')],
    [edge('DynamicCreateData-c', 'message', 'ChatOutput-o', 'input_value')],
  );
  expect((await runFlow(document)).text).toBe(text);
});
