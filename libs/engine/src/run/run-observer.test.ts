import { combineObservers } from '../observers/combine-observers';
import { recordingRunObserver } from '../testing/recording-run-observer';
import { planOf } from '../testing/test-flow';
import { chatRequest, runPlan } from '../testing/test-run';

const any = { outputs: { by: 'type', type: 'any' } } as const;
const loop = planOf(
  [
    { type: 'ChatInput' },
    { type: 'Loop' },
    { type: 'Table' },
    { type: 'TextOutput' },
    { type: 'Slow', fields: { milliseconds: { type: 'int', value: 1 } } },
  ],
  [
    'ChatInput-a.message > Loop-a.words',
    'Loop-a.done > Table-a.table',
    'Table-a.text > TextOutput-a.input_value',
    'Loop-a.item > Slow-a.input_value',
    'Slow-a.text > Loop-a.item',
  ],
);

test('each execution of a vertex is a step; the body of a loop belongs to the loop', async () => {
  const { lines, observer } = recordingRunObserver();
  await runPlan(loop, chatRequest('x y', any), { observer });
  expect(lines).toEqual([
    'ChatInput-a 1 in the run',
    'ChatInput-a 1 succeeded',
    'Loop-a 1 in the run',
    'Slow-a 1 in Loop-a 1',
    'Slow-a 1 succeeded',
    'Slow-a 1 in Loop-a 1',
    'Slow-a 1 succeeded',
    'Loop-a 1 succeeded',
    'Table-a 1 in the run',
    'Table-a 1 succeeded',
    'TextOutput-a 1 in the run',
    'TextOutput-a 1 succeeded',
  ]);
});

test('repeated executions in a cycle are counted', async () => {
  const { lines, observer } = recordingRunObserver();
  const plan = planOf(
    [
      { type: 'ChatInput' },
      { type: 'Join' },
      {
        type: 'Until',
        fields: { rounds: { type: 'int', value: 2 }, characters: { type: 'int', value: 99 } },
      },
      { type: 'TextOutput' },
    ],
    [
      'ChatInput-a.message > Join-a.second',
      'Until-a.again > Join-a.first',
      'Join-a.joined > Until-a.input_text',
      'Until-a.enough > TextOutput-a.input_value',
    ],
  );
  await runPlan(plan, chatRequest('x', any), { observer });
  expect(lines.filter((line) => line.startsWith('Until-a'))).toEqual([
    'Until-a 1 in the run',
    'Until-a 1 succeeded',
    'Until-a 2 in the run',
    'Until-a 2 succeeded',
  ]);
});

test('a failure is observed without the keys of the run', async () => {
  const { lines, observer } = recordingRunObserver();
  const fields = {
    api_key: { value: 'literal-0123456789' },
    input_value: { value: 'no literal-0123456789' },
  };
  const plan = planOf(
    [{ type: 'Failing', fields }, { type: 'TextOutput' }],
    ['Failing-a.text > TextOutput-a.input_value'],
  );
  await expect(runPlan(plan, chatRequest('x', any), { observer })).rejects.toThrow('is out of range');
  expect(lines).toEqual(['Failing-a 1 in the run', 'Failing-a 1 failed: no [hidden] is out of range.']);
});

test('several observers are all notified, and vertices run within the steps of all', async () => {
  const [one, other] = [recordingRunObserver(), recordingRunObserver()];
  const observer = combineObservers(one.observer, null, other.observer);
  await runPlan(loop, chatRequest('x', any), { observer });
  expect(one.lines).toContain('Slow-a 1 in Loop-a 1');
  expect(other.lines).toEqual(one.lines);
});

test('an observer that is alone is not wrapped', () => {
  const { observer } = recordingRunObserver();
  expect(combineObservers(undefined, observer, null)).toBe(observer);
  expect(combineObservers(null)).toBeUndefined();
});
