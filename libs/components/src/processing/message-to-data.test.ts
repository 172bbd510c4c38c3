import { flow, node, runFlow, edge } from '../testing/flow-under-test.fixture';

test('returns all fields of a message', async () => {
  const document = flow(
    [node('ChatInput-a', 'ChatInput'), node('MessagetoData-b', 'MessagetoData')],
    [edge('ChatInput-a', 'message', 'MessagetoData-b', 'message')],
  );
  const { result } = await runFlow(document, { input: 'm', sessionId: 's', show: 'MessagetoData-b' });
  expect(result?.outputs['data']).toMatchObject({
    type: 'data',
    message: { text: 'm', sender: 'User', sender_name: 'User', session_id: 's', error: false, files: [] },
  });
});

test('without a message returns data with an error', async () => {
  const { result } = await runFlow(flow([node('MessagetoData-b', 'MessagetoData')]), {
    show: 'MessagetoData-b',
  });
  const error = 'Error converting Message to Data: Input must be a Message object';
  expect(result?.outputs['data']?.message).toEqual({ error });
});
