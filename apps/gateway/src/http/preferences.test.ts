import { readPreferences } from './preferences';

test.each([
  [undefined, false, 0],
  ['respond-async', true, 0],
  ['Respond-Async, wait=10', true, 10],
  ['wait = "7"; now=1, respond-async;foo', true, 7],
  ['wait=3', false, 3],
  ['wait=1, wait=2', false, 1],
  ['wait=-1, wait=x, wait=1.5, wait, respond-asyncs', false, 0],
  ['wait=99999999999', false, 0],
])('%s', (header, respondAsync, waitSeconds) => {
  expect(readPreferences(header)).toEqual({ respondAsync, waitSeconds });
});
