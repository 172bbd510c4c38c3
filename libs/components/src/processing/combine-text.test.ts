import { flow, node, runFlow, edge } from '../testing/flow-under-test.fixture';

test.each([
  ['x', ' ', 'x tail'],
  ['', ' ', ' tail'],
  ['x', ', ', 'x, tail'],
])('joins %p and a fixed text with %p', async (input, delimiter, expected) => {
  const document = flow(
    [
      node('ChatInput-a', 'ChatInput'),
      node('CombineText-b', 'CombineText', { text2: 'tail', delimiter }),
      node('ChatOutput-z', 'ChatOutput'),
    ],
    [
      edge('ChatInput-a', 'message', 'CombineText-b', 'text1'),
      edge('CombineText-b', 'combined_text', 'ChatOutput-z', 'input_value'),
    ],
  );
  expect((await runFlow(document, { input })).text).toBe(expected);
});
