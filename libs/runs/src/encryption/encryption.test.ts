import { randomBytes } from 'node:crypto';
import { Encryption, EncryptionError } from '../index';

const key = () => randomBytes(32);

test('decrypts what it encrypted, and never produces the same ciphertext twice', () => {
  const encryption = Encryption.from([key().toString('hex')]);
  const [first, second] = [encryption.encrypt('grüße 😀'), encryption.encrypt('grüße 😀')];
  expect(first).not.toBe(second);
  expect([first, second].map((text) => encryption.decrypt(text))).toEqual(['grüße 😀', 'grüße 😀']);
  expect(encryption.decrypt(encryption.encrypt(''))).toBe('');
});

test('keys rotate: the new one encrypts, the old one still decrypts', () => {
  const [old, young] = [key().toString('base64'), key().toString('base64url')];
  const before = Encryption.from([old]).encrypt('value');
  const both = Encryption.from([young, old]);
  expect(both.decrypt(before)).toBe('value');
  expect(Encryption.from([young]).decrypt(both.encrypt('value'))).toBe('value');
  expect(() => Encryption.from([young]).decrypt(before)).toThrow(EncryptionError);
});

test('a changed text is refused', () => {
  const encryption = Encryption.from([key().toString('hex')]);
  const parts = encryption.encrypt('value').split('.');
  const sealed = Buffer.from(parts[3]!, 'base64url');
  sealed[0]! ^= 1;
  const changed = [...parts.slice(0, 3), sealed.toString('base64url')].join('.');
  for (const text of [changed, [...parts.slice(0, 3), 'AAAA'].join('.'), 'plain', '']) {
    expect(() => encryption.decrypt(text)).toThrow(EncryptionError);
  }
});

test('refuses a key that is not 32 bytes without revealing it', () => {
  for (const keys of [[], ['short'], [key().toString('hex'), 'c2VjcmV0']]) {
    expect(() => Encryption.from(keys)).toThrow(EncryptionError);
  }
  expect(() => Encryption.from(['c2VjcmV0'])).toThrow(/^encryption key 1 is not 32 bytes/u);
});
