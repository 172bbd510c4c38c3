import { flow, node, runFlow, wire } from '../flow-under-test.fixture';

test('hears nothing where nobody tells', async () => {
  const document = flow([node('Listen-l', 'Listen', { context_key: 'news' })]);
  expect((await runFlow(document, { show: 'Listen-l' })).text).toEqual({ text: '' });
});

test('does not wait for those who wait for it', async () => {
  const document = flow(
    [
      node('Listen-l', 'Listen', { context_key: 'news' }),
      node('Notify-n', 'Notify', { context_key: 'news' }),
    ],
    [wire('Listen-l', 'data', 'Notify-n', 'input_value')],
  );
  expect((await runFlow(document, { show: 'Notify-n' })).text).toEqual({ text: '' });
});
