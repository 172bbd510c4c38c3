import { flow, node, runFlow } from '../testing/flow-under-test.fixture';
import { zonedTime } from './zoned-time';

const currentDate = async (timezone: string): Promise<unknown> => {
  const document = flow([node('CurrentDate-a', 'CurrentDate', { timezone })]);
  const { result } = await runFlow(document, { show: 'CurrentDate-a' });
  return result?.outputs['current_date']?.message;
};

test('returns the time in a time zone', async () => {
  expect(await currentDate('UTC')).toMatch(
    /^Current date and time in UTC: \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/,
  );
  expect(await currentDate('America/Sao_Paulo')).toMatch(
    /^Current date and time in America\/Sao_Paulo: .* -03$/,
  );
  expect(await currentDate('Nowhere')).toBe("Error: 'No time zone found with key Nowhere'");
});

test.each([
  ['UTC', '2026-01-15 12:30:45 UTC', '2026-07-15 12:30:45 UTC'],
  ['Europe/Prague', '2026-01-15 13:30:45 CET', '2026-07-15 14:30:45 CEST'],
  ['America/New_York', '2026-01-15 07:30:45 EST', '2026-07-15 08:30:45 EDT'],
  ['Asia/Shanghai', '2026-01-15 20:30:45 CST', '2026-07-15 20:30:45 CST'],
  ['Asia/Kathmandu', '2026-01-15 18:15:45 +0545', '2026-07-15 18:15:45 +0545'],
  ['Asia/Tokyo', '2026-01-15 21:30:45 JST', '2026-07-15 21:30:45 JST'],
])('in %s', (timeZone, winter, summer) => {
  expect(zonedTime(new Date('2026-01-15T12:30:45.678Z'), timeZone)).toBe(winter);
  expect(zonedTime(new Date('2026-07-15T12:30:45.678Z'), timeZone)).toBe(summer);
});
