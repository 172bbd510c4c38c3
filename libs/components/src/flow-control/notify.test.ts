import { flow, node, runFlow, edge } from '../testing/flow-under-test.fixture';

/** Returns the text that a listener receives from two Notify vertices: one sends the input, the other a saved text. */
async function receivedText(input: string, one: object, other: object): Promise<unknown> {
  const document = flow(
    [
      node('Listen-l', 'Listen', { context_key: 'news' }),
      node('ParseData-p', 'ParseData', { template: '<{text}>', sep: '' }),
      node('ChatInput-a', 'ChatInput'),
      node('TextInput-b', 'TextInput', { input_value: 'saved' }),
      node('Notify-a', 'Notify', { context_key: 'news', append: false, ...one }),
      node('Notify-b', 'Notify', { context_key: 'news', append: false, ...other }),
    ],
    [
      edge('Listen-l', 'data', 'ParseData-p', 'data'),
      edge('ChatInput-a', 'message', 'Notify-a', 'input_value'),
      edge('TextInput-b', 'text', 'Notify-b', 'input_value'),
    ],
  );
  return (await runFlow(document, { input, show: 'ParseData-p' })).text;
}

test('a value reaches the listeners of the same key', async () => {
  expect(await receivedText('one', {}, { context_key: 'else' })).toBe('<one>');
  expect(await receivedText('two', {}, { context_key: 'else' })).toBe('<two>');
});

test('the last value is used, or all appended values', async () => {
  expect(await receivedText('one', {}, {})).toBe('<saved>');
  expect(await receivedText('one', { append: true }, { append: true })).toBe('<one><saved>');
});
