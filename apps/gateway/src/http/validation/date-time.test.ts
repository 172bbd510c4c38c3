import { dateTimeItem, parseDateTime, pydanticTime, pythonIsoFormat } from './date-time';

test.each([
  ['2020-01-01T00:00:00', '2020-01-01T00:00:00+00:00'],
  ['2020-01-01T00:00:00Z', '2020-01-01T00:00:00+00:00'],
  ['2020-01-01 01:30+01:30', '2020-01-01T00:00:00+00:00'],
  ['2020-01-01T00:00:00.25-0100', '2020-01-01T01:00:00.250000+00:00'],
  ['2020-01-01', '2020-01-01T00:00:00+00:00'],
  [1577836800, '2020-01-01T00:00:00+00:00'],
  ['1577836800', '2020-01-01T00:00:00+00:00'],
  [1577836800000, '2020-01-01T00:00:00+00:00'],
])('%s is a point in time', (value, iso) => {
  const date = parseDateTime(value);
  expect(date && pythonIsoFormat(date)).toBe(iso);
});

test.each(['2027-02-30T00:00:00Z', '2027-02-29', '2027-04-31T10:00:00+02:00', '0000-01-01', '2027-01-00'])(
  'no calendar has the day of %s',
  (value) => {
    expect(parseDateTime(value)).toBeNull();
    const { ctx } = dateTimeItem(value, ['body', 'expires_at']);
    expect(ctx).toEqual({ error: 'day value is outside expected range' });
  },
);

test('a leap day is a day, and 24:00 is no time', () => {
  expect(parseDateTime('2028-02-29T23:59:59Z')).toEqual(new Date('2028-02-29T23:59:59Z'));
  expect(parseDateTime('2027-01-01T24:00:00Z')).toBeNull();
});

test.each(['soon', '', '2020-13-01', '2020-01-01T25:00:00', true, null, [], 1e300])(
  '%p is not a point in time',
  (value) => {
    expect(parseDateTime(value)).toBeNull();
  },
);

test('numbers up to 20,000,000,000 are seconds, and years have four digits', () => {
  expect(parseDateTime(20_000_000_000)?.toISOString()).toBe('2603-10-11T11:33:20.000Z');
  expect(parseDateTime(20_000_000_001)?.toISOString()).toBe('1970-08-20T11:33:20.001Z');
  expect(parseDateTime(-20_000_000_001)?.toISOString()).toBe('1969-05-14T12:26:39.999Z');
  expect(parseDateTime(253_402_300_799_999)?.toISOString()).toBe('9999-12-31T23:59:59.999Z');
  expect([parseDateTime(253_402_300_800_000), parseDateTime(-62_135_596_800_001)]).toEqual([null, null]);
  expect(parseDateTime(-62_135_596_800_000)?.toISOString()).toBe('0001-01-01T00:00:00.000Z');
  expect(parseDateTime('9999-12-31T23:59:59-01:00')).toBeNull();
  expect(pydanticTime(new Date(1_500))).toBe('1970-01-01T00:00:01.500000Z');
});

test.each([
  [7, 'datetime_type', undefined],
  ['2020', 'datetime_from_date_parsing', 'input is too short'],
  ['2020-02-30', 'datetime_from_date_parsing', 'day value is outside expected range'],
  ['2020-13-01', 'datetime_from_date_parsing', 'invalid character in year'],
  ['not a time', 'datetime_from_date_parsing', 'invalid character in year'],
])('the item of %j is %s: %s', (input, type, error) => {
  const rest = error === undefined ? '' : ` or date, ${error}`;
  expect(dateTimeItem(input, ['query', 'a'])).toEqual({
    type,
    loc: ['query', 'a'],
    msg: `Input should be a valid datetime${rest}`,
    input,
    ...(error === undefined ? {} : { ctx: { error } }),
  });
});
