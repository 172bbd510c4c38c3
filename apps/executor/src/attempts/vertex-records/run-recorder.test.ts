import type { PlanVertex } from '@millrace/flow';
import type { RunTrace } from '@millrace/runs';
import { ModelPrices } from './model-prices';
import { RareRuns } from './rare-runs';
import { RunRecorder } from './run-recorder';

const recorder = () =>
  new RunRecorder(
    { policy: null, prices: new ModelPrices({}), rareRuns: new RareRuns() },
    { runId: 'run', flowId: 'flow', attempt: 1, startedAt: 0, settings: null },
  );
const run = { secrets: () => new Set<string>(), isSecret: () => false };
const vertexOf = (id: string) =>
  ({ id, displayName: id, type: 'Test', python: null }) as unknown as PlanVertex;
const recordOf = (text: string) => ({
  outputs: new Map([['text', text]]),
  stopped: new Set<string>(),
  status: null,
  logs: new Map(),
  reused: false,
});

/** Executes a vertex of a loop; returns how often its values were read. */
function vertexOfLoop(recorded: RunRecorder, id = 'a') {
  const reads = { count: 0 };
  const fields = () => {
    reads.count += 1;
    return { text: 'input' };
  };
  const execute = (text: string) => {
    const vertex = recorded.vertex({ vertex: vertexOf(id), execution: 1, flowId: 'flow', part: '', run });
    vertex.given?.({ inputs: {}, fields });
    vertex.succeeded(recordOf(text));
  };
  return { reads, execute };
}

const shown = (recorded: RunRecorder) => (JSON.parse(recorded.traceSoFar()) as RunTrace).vertices;

test('the values of a vertex are measured once while a run is watched, and again after a further execution', () => {
  const recorded = recorder();
  const { reads, execute } = vertexOfLoop(recorded);
  execute('one');
  for (let poll = 0; poll < 3; poll += 1)
    expect(shown(recorded)).toMatchObject([{ inputBytes: 7, outputBytes: 5, executions: 1 }]);
  expect(reads.count).toBe(1);
  execute('longer');
  expect(shown(recorded)).toMatchObject([{ inputBytes: 7, outputBytes: 8, executions: 2 }]);
  expect(reads.count).toBe(2);
});

test('a poll measures for a bounded time, and leaves other sizes to the next polls', () => {
  const recorded = recorder();
  const large = Array.from({ length: 200 }, (_, index) => vertexOfLoop(recorded, `vertex-${index}`));
  const text = 'ä'.repeat(1_000_000);
  for (const { execute } of large) execute(text);
  const polls: number[] = [];
  const measured = () => large.filter(({ reads }) => reads.count > 0).length;
  while (measured() < large.length) {
    recorded.traceSoFar();
    polls.push(measured());
  }
  expect(new Set(polls).size).toBe(polls.length);
  expect(large.every(({ reads }) => reads.count === 1)).toBe(true);
});

test('a vertex that runs has taken the time since its start', () => {
  const recorded = recorder();
  recorded.vertex({ vertex: vertexOf('a'), execution: 1, flowId: 'flow', part: '', run });
  const [running] = shown(recorded);
  expect(running?.state).toBe('running');
  const { start = 0, end = 0, milliseconds, longest } = running ?? {};
  // Each of the three is rounded.
  expect(milliseconds).toBeCloseTo(end - start, 1);
  expect(longest).toBe(milliseconds);
});
