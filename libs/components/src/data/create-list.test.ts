import { flow, node, runFlow, edge } from '../testing/flow-under-test.fixture';

const list = node('CreateList-a', 'CreateList', { texts: ['one', 'two'] });

test('returns data for each text', async () => {
  const { result } = await runFlow(flow([list]), { show: 'CreateList-a' });
  expect(result?.outputs['list']).toEqual({
    message: [
      { text_key: 'text', data: { text: 'one' }, default_value: '' },
      { text_key: 'text', data: { text: 'two' }, default_value: '' },
    ],
    type: 'array',
  });
});

test('returns a table when the table output is connected', async () => {
  const document = flow(
    [list, node('ChatOutput-z', 'ChatOutput')],
    [edge('CreateList-a', 'dataframe', 'ChatOutput-z', 'input_value')],
  );
  expect((await runFlow(document)).text).toBe('| text   |\n|:-------|\n| one    |\n| two    |');
  const { result } = await runFlow(document, { show: 'CreateList-a' });
  expect(result?.outputs['list']).toEqual({ message: '', type: 'unknown' });
});
