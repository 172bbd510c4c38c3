import { flow, node, runFlow, edge } from '../testing/flow-under-test.fixture';

test('returns an empty text without a Notify', async () => {
  const document = flow([node('Listen-l', 'Listen', { context_key: 'news' })]);
  expect((await runFlow(document, { show: 'Listen-l' })).text).toEqual({ text: '' });
});

test('does not wait for a Notify that depends on it', async () => {
  const document = flow(
    [
      node('Listen-l', 'Listen', { context_key: 'news' }),
      node('Notify-n', 'Notify', { context_key: 'news' }),
    ],
    [edge('Listen-l', 'data', 'Notify-n', 'input_value')],
  );
  expect((await runFlow(document, { show: 'Notify-n' })).text).toEqual({ text: '' });
});
