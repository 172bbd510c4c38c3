import { isFernetToken, LangflowSecrets } from './fernet';

// Tokens that Python's cryptography made, with the keys that Langflow derives from these secrets.
const SHORT_SECRET = 'a-secret-key-of-this-test';
const SHORT =
  'gAAAAABlU_EAAAECAwQFBgcICQoLDA0OD0oAu4DGL3XLM04RrjD5sVWdDZvT7APW_kzzuYxIu-ktK-RY50lLvzu6JR8MFd31Tg==';
const LEGACY =
  'gAAAAABlU_EAAAECAwQFBgcICQoLDA0ODyHQRaFldtRiGKWI1rSovPnZbzgSpJ4pORgatoyWnnhIrANNm3-vKTNtrI2iJOYhfiIEtYuUTX9Yh7kPD59rgv4=';
const LONG_SECRET = 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8';
const LONG =
  'gAAAAABlU_EAAAECAwQFBgcICQoLDA0ODxTg3Jywqvu75jyj6H7vusYOkJDkdDuo1ujvtd-PQYLQQLAZkO7OwZXPor48MuO0fg==';

test('a short secret decrypts what a present and an earlier Langflow encrypted', () => {
  const secrets = new LangflowSecrets(SHORT_SECRET);
  expect(secrets.read(SHORT)).toBe('value ä');
  expect(secrets.read(LEGACY)).toBe('value of an old release');
  expect(secrets.read(LONG)).toBeUndefined();
});

test('a secret of 32 characters or more is a key in base64, with or without padding', () => {
  expect(new LangflowSecrets(LONG_SECRET).read(LONG)).toBe('another');
  expect(new LangflowSecrets(`${LONG_SECRET}=`).read(LONG)).toBe('another');
  expect(new LangflowSecrets(`${LONG_SECRET}AAAA`).read(LONG)).toBeUndefined();
});

test('a changed token is not decrypted, and a text that is no token stays as it is', () => {
  const secrets = new LangflowSecrets(SHORT_SECRET);
  expect(secrets.read(SHORT.replace('JR8M', 'JR8N'))).toBeUndefined();
  expect(secrets.read('gAAAAAshort')).toBeUndefined();
  expect(secrets.read('Graz')).toBe('Graz');
  expect([SHORT, 'Graz', 'gAAAAA with spaces'].map(isFernetToken)).toEqual([true, false, false]);
});
