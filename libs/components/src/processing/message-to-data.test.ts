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

test('without a message returns the fields of an empty one', async () => {
  const { result } = await runFlow(flow([node('MessagetoData-b', 'MessagetoData')]), {
    show: 'MessagetoData-b',
  });
  expect(result?.outputs['data']?.message).toMatchObject({
    text: '',
    sender: null,
    session_id: '',
    timestamp: expect.stringMatching(/^\d{4}-.+ UTC$/) as unknown,
  });
});
