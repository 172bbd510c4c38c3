import { TargetHealth } from './target-health';

const problem = (routingKey: string, text: string) => ({ exchange: 'e', routingKey, problem: text });
const UNCONFIRMED = 'RabbitMQ does not confirm messages to it';
const REFUSED = 'RabbitMQ refuses messages to it';

function opened() {
  const health = new TargetHealth();
  const at = (key: string, now: number) => [
    health.isLate('e', key, now),
    health.isUnresponsive('e', key, now),
  ];
  return { health, at };
}

test('a late target gets only messages without another way, but for one probe in five seconds', () => {
  const { health, at } = opened();
  expect([health.areAllHealthy, ...at('late', 0)]).toEqual([true, false, false]);
  health.noteLate('e', 'late', false, 0);
  expect([health.areAllHealthy, ...at('late', 4_999)]).toEqual([false, true, false]);
  expect(at('other', 0)).toEqual([false, false]);
  expect(health.problems(0)).toEqual([]);
  expect(health.isLate('e', 'late', 5_000)).toBe(false);
  expect(health.isLate('e', 'late', 5_001)).toBe(true);
  expect(health.isLate('e', 'late', 10_000)).toBe(false);
  health.noteConfirmed('e', 'late');
  expect([health.areAllHealthy, ...at('late', 1)]).toEqual([true, false, false]);
});

test('a target that has timed out gets no message, until a probe is due or one is confirmed', () => {
  const { health, at } = opened();
  health.noteLate('e', 'silent', true, 0);
  health.noteLate('e', 'silent', false, 1);
  expect(at('silent', 4_999)).toEqual([true, true]);
  expect(health.problems(2)).toEqual([problem('silent', UNCONFIRMED)]);
  expect(health.isUnresponsive('e', 'silent', 5_000)).toBe(false);
  expect(health.isUnresponsive('e', 'silent', 5_001)).toBe(true);
  health.reset();
  expect([health.areAllHealthy, ...at('silent', 1)]).toEqual([true, false, false]);
});

test('a target that refuses answers at once, so it gets further messages', () => {
  const { health, at } = opened();
  health.noteLate('e', 'full', true, 0);
  health.noteRefused('e', 'full', 0);
  expect(at('full', 1)).toEqual([false, false]);
  expect(health.problems(1)).toEqual([problem('full', REFUSED)]);
});

test('a problem is forgotten 60 seconds after its last message, and all when 1,000 targets have one', () => {
  const { health } = opened();
  health.noteRefused('e', 'a', 0);
  health.noteRefused('e', 'b', 1);
  expect(health.problems(60_000)).toHaveLength(2);
  expect(health.problems(60_001)).toEqual([problem('b', REFUSED)]);
  for (let index = 0; index < 999; index += 1) health.noteRefused('e', `${index}`, 60_000);
  expect(health.problems(60_000)).toHaveLength(1_000);
  health.noteRefused('e', 'one more', 60_000);
  expect(health.problems(60_000)).toEqual([problem('one more', REFUSED)]);
});
