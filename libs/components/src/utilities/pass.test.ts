import { flow, node, runFlow, wire } from '../flow-under-test.fixture';

test('passes on its first message', async () => {
  const document = flow(
    [
      node('ChatInput-a', 'ChatInput'),
      node('TextInput-b', 'TextInput', { input_value: 'ignored' }),
      node('Pass-c', 'Pass'),
      node('ChatOutput-z', 'ChatOutput'),
    ],
    [
      wire('ChatInput-a', 'message', 'Pass-c', 'input_message'),
      wire('TextInput-b', 'text', 'Pass-c', 'ignored_message'),
      wire('Pass-c', 'output_message', 'ChatOutput-z', 'input_value'),
    ],
  );
  expect((await runFlow(document, { input: 'through' })).text).toBe('through');
});

test('without a message passes on an empty one', async () => {
  const { result } = await runFlow(flow([node('Pass-c', 'Pass')]), { show: 'Pass-c' });
  expect(result?.outputs['output_message']?.message).toBe('');
});
