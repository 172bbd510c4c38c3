import { SecretMask } from './secret-mask';

const secret = 'sk-0123456789';
const mask = new SecretMask(new Set([secret, 'pass"word', 'a b&c-longer', 'x', 'Straße 7']));

test.each([
  ['the key alone', secret, '[hidden]'],
  ['as a part', `Incorrect key ${secret}!`, 'Incorrect key [hidden]!'],
  ['several times', `${secret}${secret}`, '[hidden][hidden]'],
  ['in a JSON text', '{"a":"pass\\"word"}', '{"a":"[hidden]"}'],
  ['in an address', 'https://x.test/?q=a%20b%26c-longer', 'https://x.test/?q=[hidden]'],
  ['in Base64', `Basic ${Buffer.from(secret).toString('base64')}`, 'Basic [hidden]=='],
  ['with other letters', 'in Stra%C3%9Fe%207', 'in [hidden]'],
  ['a single letter alone', 'x', '[hidden]'],
])('hides a secret: %s', (_, text, shown) => {
  expect(mask.start(text, 1_000)).toBe(shown);
});

test('a single letter is not hidden inside of a text', () => {
  expect(mask.start('a text', 1_000)).toBe('a text');
});

test('no part of a secret is left where a text is cut', () => {
  for (let before = 0; before < 40; before += 1) {
    const text = `${'.'.repeat(before)}${secret}${'.'.repeat(100)}`;
    for (let length = 0; length < 60; length += 1) {
      const start = mask.start(text, length);
      expect(start.length).toBeLessThanOrEqual(Math.max(length, 0));
      expect(start).not.toContain('sk-');
    }
  }
});

test('a longer secret that begins with a shorter one is hidden as a whole', () => {
  const both = new SecretMask(new Set(['token', 'token-with-more']));
  expect(both.start('<token-with-more> <token>', 1_000)).toBe('<[hidden]> <[hidden]>');
});
