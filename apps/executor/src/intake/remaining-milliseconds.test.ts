import type { Job } from '@millrace/messages';
import { remainingMilliseconds } from './read-job';

const TEN_MINUTES = 600_000;

/** A job of a gateway whose clock is `gatewayAhead` ms ahead, sent `sentAgo` ms ago with ten seconds left. */
function job({ gatewayAhead = 0, sentAgo = 0, isOld = false }) {
  const sentAt = Date.now() - sentAgo;
  return {
    acceptedAt: sentAt + gatewayAhead,
    deadline: sentAt + gatewayAhead + 10_000,
    ...(!isOld && { databaseDeadline: sentAt + 10_000 }),
  } as Job;
}

const known = { now: () => Date.now(), isShared: true };
const unknown = { now: () => Date.now(), isShared: false };

describe.each([TEN_MINUTES, -TEN_MINUTES, 0])('a gateway that is ahead by %d ms', (gatewayAhead) => {
  test('the time in the queue counts, the clock difference does not', () => {
    expect(near(remainingMilliseconds(job({ gatewayAhead, sentAgo: 4_000 }), known), 6_000)).toBe(true);
    expect(near(remainingMilliseconds(job({ gatewayAhead, sentAgo: 14_000 }), known), -4_000)).toBe(true);
  });

  test.each([
    ['its version does not send the database time', { isOld: true }, known],
    ['this process has not measured its clock', { isOld: false }, unknown],
  ])('the run has at most the time that was left, even if %s', (_why, { isOld }, clock) => {
    const left = remainingMilliseconds(job({ gatewayAhead, sentAgo: 4_000, isOld }), clock);
    expect(near(left, gatewayAhead === 0 ? 6_000 : 10_000)).toBe(true);
  });
});

test('a run never has more time than was left when its job was sent', () => {
  const ahead = { now: () => Date.now() - TEN_MINUTES, isShared: true };
  expect(near(remainingMilliseconds(job({}), ahead), 10_000)).toBe(true);
});

test('the result is whole milliseconds, although the clock has a fraction', () => {
  const precise = { now: () => Date.now() + 0.25, isShared: true };
  expect(Number.isSafeInteger(remainingMilliseconds(job({ sentAgo: 1_000 }), precise))).toBe(true);
});

test('without a deadline the time is unlimited', () => {
  expect(remainingMilliseconds({ ...job({}), deadline: null }, known)).toBe(Number.POSITIVE_INFINITY);
});

function near(value: number, expected: number): boolean {
  return Math.abs(value - expected) < 1_000;
}
