import { searchText } from './compile-pattern';
import { runInSlices } from './run-in-slices';

const { signal } = new AbortController();
const digits = (text: string) =>
  runInSlices(
    searchText(text, '\\d', (regex) => regex.findAll(text)),
    signal,
  );

test('rejects a text whose search would block the process', () => {
  expect(() => digits('y'.repeat(5_000_001))).toThrow(
    'The text has 5000001 characters; a regular expression can search at most 5000000.',
  );
});

test('a search with many matches yields to the event loop', async () => {
  const search = digits('1'.repeat(30_000));
  expect(search).toBeInstanceOf(Promise);
  expect(await search).toHaveLength(30_000);
});
