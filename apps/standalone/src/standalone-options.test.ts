import { contradictionIn } from './standalone-options.cjs';

test.each([
  [{ demo: true, data: 'folder' }, '--demo and --data exclude each other: the demo uses a temporary folder.'],
  [{ demo: true, 'new-key': true }, '--demo and --new-key exclude each other: the demo keeps no key.'],
  [{ demo: true, 'show-key': true }, '--demo and --show-key exclude each other: the demo keeps no key.'],
  [
    { 'show-key': true, 'new-key': true },
    '--show-key and --new-key exclude each other: the one prints the stored key, the other replaces it.',
  ],
])('%j is refused: one of the options would be without effect', (values, sentence) => {
  expect(contradictionIn(values)).toBe(sentence);
});

test.each([
  { demo: true, data: undefined, port: '0', 'show-key': false, 'new-key': false },
  { data: 'folder', 'show-key': true },
  { data: 'folder', 'new-key': true },
])('%j is accepted', (values) => {
  expect(contradictionIn(values)).toBeNull();
});
