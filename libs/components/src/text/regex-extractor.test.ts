import { flow, node, runFlow, edge } from '../testing/flow-under-test.fixture';

const extracting = (pattern: string, output: string): unknown =>
  flow(
    [
      node('ChatInput-a', 'ChatInput'),
      node('Regex-b', 'RegexExtractorComponent', { pattern }),
      node('ChatOutput-z', 'ChatOutput'),
    ],
    [
      edge('ChatInput-a', 'message', 'Regex-b', 'input_text'),
      edge('Regex-b', output, 'ChatOutput-z', 'input_value'),
    ],
  );
const dataOf = async (pattern: string, input: string): Promise<unknown> => {
  const { result } = await runFlow(extracting(pattern, 'data'), { input, show: 'Regex-b' });
  const list = result?.outputs['data']?.message as readonly { readonly data: unknown }[];
  return list.map((item) => item.data);
};

test('finds all matches', async () => {
  expect(await dataOf('\\d+', '1 22')).toEqual([{ match: '1' }, { match: '22' }]);
  expect(await dataOf('(\\w)=(\\d)', 'a=1 b=2')).toEqual([{ match: ['a', '1'] }, { match: ['b', '2'] }]);
  expect(await dataOf('\\d*', 'abc')).toEqual([]);
});

test('returns the matches as a text', async () => {
  const pattern = '[a-z]+@[a-z.]+';
  expect((await runFlow(extracting(pattern, 'text'), { input: 'a@b.cz and c@d.org' })).text).toBe(
    'a@b.cz\nc@d.org',
  );
  expect((await runFlow(extracting(pattern, 'text'), { input: 'none' })).text).toBe('No matches found');
});

test('reports an invalid pattern as data', async () => {
  expect(await dataOf('(', 'x')).toEqual([
    { error: 'Invalid regex pattern: missing ), unterminated subpattern at position 0' },
  ]);
  expect(await dataOf('(?=x)', 'x')).toEqual([
    { error: 'Invalid regex pattern: look-ahead is not supported in a linear-time search' },
  ]);
});
