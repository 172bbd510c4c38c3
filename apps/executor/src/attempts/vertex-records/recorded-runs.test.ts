import { RecordedRuns } from './run-recorder';

test('what a run finds after a mask was made is hidden by the next one', () => {
  const runs = new RecordedRuns();
  const secrets = new Set(['first-secret']);
  runs.add({ secrets: () => secrets, isSecret: () => false });
  expect(runs.mask().start('first-secret, second-secret', 100)).toBe('[hidden], second-secret');
  secrets.add('second-secret');
  expect(runs.mask().start('first-secret, second-secret', 100)).toBe('[hidden], [hidden]');
});
