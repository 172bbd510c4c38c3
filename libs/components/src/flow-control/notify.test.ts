import { flow, node, runFlow, wire } from '../flow-under-test.fixture';

/** Chat Input tells what was said, a Text Input something else; the listener has no wire from either. */
async function heard(input: string, one: object, other: object): Promise<unknown> {
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
      wire('Listen-l', 'data', 'ParseData-p', 'data'),
      wire('ChatInput-a', 'message', 'Notify-a', 'input_value'),
      wire('TextInput-b', 'text', 'Notify-b', 'input_value'),
    ],
  );
  return (await runFlow(document, { input, show: 'ParseData-p' })).text;
}

test('what is told is heard by those who listen to the same key', async () => {
  expect(await heard('one', {}, { context_key: 'else' })).toBe('<one>');
  expect(await heard('two', {}, { context_key: 'else' })).toBe('<two>');
});

test('the last one told counts, or all that are appended', async () => {
  expect(await heard('one', {}, {})).toBe('<saved>');
  expect(await heard('one', { append: true }, { append: true })).toBe('<one><saved>');
});
