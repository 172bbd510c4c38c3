import { searchText } from './compile-pattern';
import { inSlices } from './in-slices';

const { signal } = new AbortController();
const digits = (text: string) =>
  inSlices(
    searchText(text, '\\d', (regex) => regex.findAll(text)),
    signal,
  );

test('a text whose search would hold everybody up is refused', () => {
  expect(() => digits('y'.repeat(5_000_001))).toThrow(
    'A text of 5000001 characters is not searched by a regular expression; at most 5000000 are.',
  );
});

test('a search for many matches lets others have their turn', async () => {
  const search = digits('1'.repeat(30_000));
  expect(search).toBeInstanceOf(Promise);
  expect(await search).toHaveLength(30_000);
});
