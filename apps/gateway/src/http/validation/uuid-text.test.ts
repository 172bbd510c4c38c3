import { normalizeUuid, uuidItem } from './uuid-text';

const uuid = 'a0ee bc99-9c0b-4ef8-bb6d-6bb9bd380a11'.replace(' ', '');

test.each([uuid, uuid.toUpperCase(), uuid.replaceAll('-', ''), `{${uuid}}`, `urn:uuid:${uuid}`])(
  '%s is a UUID',
  (text) => {
    expect(normalizeUuid(text)).toBe(uuid);
  },
);

test.each([
  ['abc', 'invalid length: expected length 32 for simple format, found 3'],
  ['zzz', 'invalid character: found `z` at 1'],
  ['a🐎', 'invalid character: found `🐎` at 2'],
  ['urn:uuid:x', 'invalid character: found `x` at 10'],
  ['a-b', 'invalid group count: expected 5, found 2'],
  ['a0eebc999-9c0b-4ef8-bb6d-6bb9bd380a11', 'invalid group length in group 1: expected 8, found 9'],
  [`${uuid}0`, 'invalid group length in group 5: expected 12, found 13'],
  [`{${uuid.replaceAll('-', '')}}`, 'invalid group count: expected 5, found 1'],
])('%s is not a UUID, and the error contains the reason', (text, error) => {
  expect(normalizeUuid(text)).toBeNull();
  expect(uuidItem(text, ['path', 'id'])).toEqual({
    type: 'uuid_parsing',
    loc: ['path', 'id'],
    msg: `Input should be a valid UUID, ${error}`,
    input: text,
    ctx: { error },
  });
});
