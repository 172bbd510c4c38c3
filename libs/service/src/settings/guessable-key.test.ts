import { randomBytes } from 'node:crypto';
import { isGuessableKey, isPlaceholderKey } from './guessable-key';

test.each([
  ['zeros', Buffer.alloc(32)],
  ['one byte', Buffer.alloc(32, 0x5a)],
  ['a text repeated', Buffer.from('change-me-change-me-change-me-ch')],
  ['bytes that count up', Buffer.from(Array.from({ length: 32 }, (_, index) => index + 200))],
  ['bytes that count down by three', Buffer.from(Array.from({ length: 32 }, (_, index) => 255 - 3 * index))],
  ['one random byte among zeros', Buffer.concat([randomBytes(1), Buffer.alloc(31)])],
  ['half a key twice', Buffer.concat(Array.from({ length: 2 }, () => Buffer.from('0123456789abcdef')))],
])('a key of %s can be guessed', (_, key) => {
  expect(isGuessableKey(key)).toBe(true);
});

test('random keys cannot be guessed', () => {
  for (let count = 0; count < 2_000; count += 1) {
    expect(isGuessableKey(randomBytes(32))).toBe(false);
    expect(isPlaceholderKey(`sk-${randomBytes(24).toString('hex')}`)).toBe(false);
    expect(isPlaceholderKey(`sk-${randomBytes(32).toString('base64url')}`)).toBe(false);
  }
});

test.each([
  'sk-change-me-change-me-change-me',
  'sk-CHANGEME-0123456789abcdef',
  'sk-your-api-key-goes-here-please',
  'sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
  'sk-00000000000000000000000000000',
  'sk-abcabcabcabcabcabcabcabcabcab',
  'sk-<insert-the-key-of-the-admin>',
])('%s is the key of an example', (key) => {
  expect(isPlaceholderKey(key)).toBe(true);
});
