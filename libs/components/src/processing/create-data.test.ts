import { failureOf, flow, node, runFlow, edge } from '../testing/flow-under-test.fixture';

const shown = { show: 'CreateData-c' };

test('merges its fields in their order', async () => {
  const fields = { field_10_key: { last: 'z' }, field_1_key: { name: 'Eva' }, field_2_key: { city: 'Brno' } };
  const { result } = await runFlow(flow([node('CreateData-c', 'CreateData', fields)]), shown);
  expect(result?.outputs['data']).toEqual({
    message: { name: 'Eva', city: 'Brno', last: 'z' },
    type: 'object',
  });
});

test('of a connected value the text is used', async () => {
  const document = flow(
    [node('ChatInput-a', 'ChatInput'), node('CreateData-c', 'CreateData', { field_1_key: { said: '' } })],
    [edge('ChatInput-a', 'message', 'CreateData-c', 'field_1_key')],
  );
  const { result } = await runFlow(document, { ...shown, input: 'hi' });
  expect(result?.outputs['data']?.message).toEqual({ said: 'hi' });
});

test('validates the text key on request', async () => {
  const values = { field_1_key: { a: 1, b: 2 }, text_key: 'c', text_key_validator: true };
  expect(await failureOf(runFlow(flow([node('CreateData-c', 'CreateData', values)]), shown))).toContain(
    "Text Key: 'c' not found in the Data keys: 'a, b'",
  );
});
