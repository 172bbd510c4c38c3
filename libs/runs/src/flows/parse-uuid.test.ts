import { parseUuid } from './parse-uuid';

const UUID = '0000abcd-1234-4abc-8def-0123456789ab';

test.each([
  UUID,
  UUID.toUpperCase(),
  UUID.replaceAll('-', ''),
  `{${UUID}}`,
  `urn:uuid:${UUID}`,
  '-0000abcd12344abc8def0123456789ab-',
])('parses %s', (text) => {
  expect(parseUuid(text)).toBe(UUID);
});

test('accepts the digits that Python accepts', () => {
  expect(parseUuid('0x00abcd12344abc8def0123456789ab'.padEnd(32, '0'))).toBe(
    '0000abcd-1234-4abc-8def-0123456789ab',
  );
  expect(parseUuid('1_'.repeat(15) + '11')).toBe(
    '00000000-0000-0001-1111-111111111111'.replace('0001-1', '0001-1'),
  );
});

test.each([
  '',
  'abc',
  `${UUID}0`,
  UUID.replace('a', 'g'),
  '1__'.padEnd(32, '1'),
  'my-endpoint-name',
  '_'.repeat(32),
])('rejects %j', (text) => {
  expect(parseUuid(text)).toBeNull();
});
