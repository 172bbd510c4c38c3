import { flow, node, runFlow, edge } from '../testing/flow-under-test.fixture';

test('passes on its first message', async () => {
  const document = flow(
    [
      node('ChatInput-a', 'ChatInput'),
      node('TextInput-b', 'TextInput', { input_value: 'ignored' }),
      node('Pass-c', 'Pass'),
      node('ChatOutput-z', 'ChatOutput'),
    ],
    [
      edge('ChatInput-a', 'message', 'Pass-c', 'input_message'),
      edge('TextInput-b', 'text', 'Pass-c', 'ignored_message'),
      edge('Pass-c', 'output_message', 'ChatOutput-z', 'input_value'),
    ],
  );
  expect((await runFlow(document, { input: 'through' })).text).toBe('through');
});

test('passes on an empty message without an input', async () => {
  const { result } = await runFlow(flow([node('Pass-c', 'Pass')]), { show: 'Pass-c' });
  expect(result?.outputs['output_message']?.message).toBe('');
});
