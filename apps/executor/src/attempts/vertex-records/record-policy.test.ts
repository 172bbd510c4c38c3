import { uuidv7 } from '@millrace/service';
import { decideRecord, policyOf } from './build-trace';

const never = () => false;
const installation = { sampleRate: 0, values: 'failed' } as const;

test('a failed run is always kept; values are part of it unless they are off', () => {
  for (const status of ['failed', 'timed_out', 'dead'] as const)
    for (const [values, withValues] of [
      ['off', false],
      ['failed', true],
      ['all', true],
    ] as const)
      expect(decideRecord({ sampleRate: 0, values }, uuidv7(), status, never)).toEqual({
        reason: 'failed',
        withValues,
      });
});

test('another run is kept if it is part of the sample; values are part of it only if all are kept', () => {
  for (const status of ['succeeded', 'cancelled'] as const) {
    expect(decideRecord({ sampleRate: 0, values: 'all' }, uuidv7(), status, () => true)).toBeNull();
    expect(decideRecord({ sampleRate: 1e-12, values: 'all' }, uuidv7(), status, never)).toBeNull();
    for (const [values, withValues] of [
      ['off', false],
      ['failed', false],
      ['all', true],
    ] as const)
      expect(decideRecord({ sampleRate: 1, values }, uuidv7(), status, never)).toEqual({
        reason: 'sampled',
        withValues,
      });
  }
});

test('a run beyond the sample is kept while runs are rare', () => {
  expect(decideRecord({ sampleRate: 1e-12, values: 'all' }, uuidv7(), 'succeeded', () => true)).toEqual({
    reason: 'sampled',
    withValues: true,
  });
});

test('about the given share of runs is part of the sample, and the same runs each time', () => {
  const ids = Array.from({ length: 4_000 }, () => uuidv7());
  const sample = () =>
    ids.filter((id) => decideRecord({ sampleRate: 0.25, values: 'off' }, id, 'succeeded', never));
  expect(sample().length).toBeGreaterThan(800);
  expect(sample().length).toBeLessThan(1_200);
  expect(sample()).toEqual(sample());
});

test('what a flow sets takes precedence, member by member', () => {
  expect(policyOf(installation, null)).toEqual(installation);
  expect(policyOf(installation, {})).toEqual(installation);
  expect(policyOf(installation, { sampleRate: 1 })).toEqual({ sampleRate: 1, values: 'failed' });
  expect(policyOf({ sampleRate: 1, values: 'all' }, { sampleRate: 0, values: 'off' })).toEqual({
    sampleRate: 0,
    values: 'off',
  });
});

test('a run that keeps values has them unless they are off', () => {
  expect(policyOf(installation, { sampleRate: 0 }, true)).toEqual({ sampleRate: 1, values: 'all' });
  expect(policyOf(installation, { values: 'off' }, true)).toEqual({ sampleRate: 1, values: 'off' });
});
