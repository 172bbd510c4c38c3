import { flow, node, runFlow, edge } from '../testing/flow-under-test.fixture';

test('a text output returns a text and stores nothing', async () => {
  const document = flow(
    [node('TextInput-a', 'TextInput', { input_value: 't1' }), node('TextOutput-z', 'TextOutput')],
    [edge('TextInput-a', 'text', 'TextOutput-z', 'input_value')],
  );
  const { result, stored } = await runFlow(document);
  expect(result).toMatchObject({
    artifacts: { text: { repr: 't1', raw: 't1', type: 'text' } },
    outputs: { text: { message: 't1', type: 'text' } },
  });
  expect(stored).toEqual([]);
});
