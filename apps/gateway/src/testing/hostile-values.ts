/** Text that does not compress, so that an index entry of it is as long as it is. */
function incompressible(length: number): string {
  let state = 1;
  const next = () => (state = (state * 48_271) % 2_147_483_647);
  return Array.from({ length }, () => String.fromCharCode(0x4e00 + (next() % 20_000))).join('');
}

/** Texts that one side takes and another can refuse: the validator, JavaScript, PostgreSQL, the broker. */
export const hostileTexts: readonly string[] = [
  // Characters, and escapes of them.
  ...['\u0000', '\ud800', 'a\udc00b', '\\ud800', '\\u0000', '\uffff', '\u{10ffff}', '\u202e', '\x7f\x1b[0m'],
  // The sizes of an index entry, of names and of messages.
  ...[
    incompressible(90),
    incompressible(250),
    incompressible(499),
    incompressible(900),
    incompressible(3_000),
  ],
  // Nesting within a text.
  ...['['.repeat(5_000), '{"a":'.repeat(5_000), '('.repeat(2_000)],
  // Numbers and times outside of the types of PostgreSQL.
  ...['1e300', '9223372036854775808', '-2147483649', '-0', 'NaN', 'Infinity', '0x10', '1_000'],
  ...[
    '+275760-09-13T00:00:00.000Z',
    '-271821-04-20T00:00:00.000Z',
    '294277-01-01T00:00:00Z',
    '0000-01-01T00:00:00Z',
  ],
  ...[
    '9999-12-31T23:59:59-23:59',
    '0001-01-01T00:00:00+23:59',
    '2026-02-30T00:00:00Z',
    '2026-06-30T23:59:60Z',
  ],
  ...['9999-12-31T23:59:59.999999999Z', '2026-01-01T24:00:00Z', 'infinity', '-infinity', 'now', 'epoch'],
  // Zones that only one of Node and PostgreSQL knows, or that differ.
  ...[
    'US/Pacific-New',
    'posix/Europe/Vienna',
    'localtime',
    'Etc/GMT+12',
    '+05:30',
    'UTC+25',
    'europe/vienna',
    'Factory',
  ],
  // Expressions.
  ...['* * * * *', '0 0 30 2 *', '*/0 * * * *', '0 0 29 2 1', '59 23 31 12 7', '@reboot', '* * * * * *'],
  ...['(', '(?<=a)b', '[[:alpha:]]', '\\C', '(a+)+$', '\\'],
  // A string without an end, whose quotes are escaped.
  `\n"${'\\"'.repeat(5_000)}`,
  // Case folding and collations.
  ...['İ', 'ı', 'ß', 'K', 'ǅ', 'e\u0301', 'é'],
  // What is a value of its own to PostgreSQL.
  ...['NULL', '{}', '{"a"', "'; --", '%', '_', '$1', 'default', 'null', ''],
  // Addresses and names of brokers.
  ...[
    `https://${incompressible(600)}.test/`,
    'https://a.test/\u0000',
    'https://[::1]:99999/',
    'x'.repeat(127),
  ],
];

export const hostileNumbers: readonly number[] = [
  ...[0, -0, -1, 1.5, 5e-324, 1e300, -1e300, 2 ** 31 - 1, 2 ** 31, -(2 ** 31) - 1, 2 ** 53, 2 ** 63, 2 ** 64],
  ...[8_640_000_000_000, 8_640_000_000_001, -8_640_000_000_001, 253_402_300_800],
];
