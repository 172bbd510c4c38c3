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

test('the errors say what is wrong with a key and with a text', () => {
  const [first, other] = [key().toString('hex'), key().toString('hex')];
  const encryption = Encryption.from([first, other]);
  const [version = '', id = '', nonce = '', sealed = ''] = encryption.encrypt('value').split('.');
  const unknown = 'the value was encrypted with a key that is not configured';
  const damaged = 'the encrypted value is damaged';
  for (const [text, message] of [
    [`v2.${id}.${nonce}.${sealed}`, unknown],
    [`${version}.00000000.${nonce}.${sealed}`, unknown],
    [`${version}.${id}.${nonce}.${Buffer.alloc(15).toString('base64url')}`, damaged],
    [`${version}.${id}.${nonce}.${Buffer.alloc(16).toString('base64url')}`, damaged],
    [`${version}.${encryption.keyIds[1]}.${nonce}.${sealed}`, damaged],
  ] as const) {
    const error = { name: 'EncryptionError', code: 'encryption_failed', message };
    expect(() => encryption.decrypt(text)).toThrow(expect.objectContaining(error));
    expect([encryption.tryDecrypt(text), encryption.canDecrypt(text)]).toEqual([null, false]);
  }
  expect(() => Encryption.from([])).toThrow('no encryption key is configured');
  const short = 'encryption key 2 is not 32 bytes of base64 or hexadecimal';
  expect(() => Encryption.from([first, first.slice(2)])).toThrow(short);
});

test('a text names the key that encrypted it, whichever way the key is written', () => {
  const bytes = Buffer.alloc(32, 0xfb);
  const ids = (['hex', 'base64', 'base64url'] as const).map(
    (form) => Encryption.from([` ${bytes.toString(form)}\n`]).keyIds,
  );
  expect(ids).toEqual([['1dba3d22'], ['1dba3d22'], ['1dba3d22']]);
  const [first, second] = [key().toString('hex'), key().toString('hex')];
  const both = Encryption.from([first, second]);
  const [own, older] = [both.encrypt(''), Encryption.from([second]).encrypt('')];
  expect([own, older].map((text) => Encryption.keyIdOf(text))).toEqual(both.keyIds);
  expect([own, older].map((text) => both.isEncryptedWithFirstKey(text))).toEqual([true, false]);
  expect([own, older].map((text) => both.canDecrypt(text))).toEqual([true, true]);
  expect(own).toMatch(/^v1\.[0-9a-f]{8}\.[\w-]{16}\.[\w-]{22}$/);
  expect(Encryption.keyIdOf('plain')).toBe('');
});

test('a signature is for one text and one purpose', () => {
  const both = Encryption.from([key().toString('hex'), key().toString('hex')]);
  const signed = both.sign('links', 'text');
  expect(both.sign('links', 'text')).toBe(signed);
  const [id = '', mac = ''] = signed.split('.');
  expect(both.isSigned('links', 'text', signed)).toBe(true);
  for (const [purpose, text, given] of [
    ['links', 'texts', signed],
    ['other', 'text', signed],
    ['links', 'text', `${both.keyIds[1]}.${mac}`],
    ['links', 'text', `00000000.${mac}`],
    ['links', 'text', `${id}.${mac.slice(2)}`],
    ['links', 'text', id],
    ['links', 'text', ''],
  ] as const)
    expect(both.isSigned(purpose, text, given)).toBe(false);
});
