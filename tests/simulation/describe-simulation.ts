import { testSeed } from '@millrace/service/testing';
import { openSimulationFixture } from './simulation-fixture';
import type { SimulationFixture } from './simulation-fixture';
import { simulate } from './simulate';

/** The first and the last seed of both shards, for example `21785-23784`; `7` is one seed. */
const SEEDS = process.env['MILLRACE_SIMULATION_SEEDS'];
/** Events that must have happened in at least one seed; otherwise the simulation proves nothing. */
const EXPECTED_EVENTS = [
  'succeeded',
  'failed',
  'cancelled',
  'dead',
  'attempted again',
  'repeated by its rule',
  'another attempt owns this run: result discarded',
  'swept',
  'accepted again',
  'answered',
  'answered by a later attempt',
  'streamed',
  'attached',
  'disconnected by the caller',
  'disconnected by the gateway',
  'refused: broker_unavailable',
  'refused: deadline_exceeded',
  'held until its turn',
  'mild',
  'suspended',
  'suspended twice',
  'asked beside another question',
  'two questions were answered at once',
  'calls were decided together',
  'calls were decided one by one',
  'an answer counted',
  'an answer was refused',
  'an answer had no confirmation',
  'went on with its fallback',
  'went on at another executor',
  'not answered in time',
  'cancelled while suspended',
  'an executor crashed between an answer and its use',
  'attempted again after its answer',
  'all runs were suspended',
  'workflow suspended',
  'a recorded step was used again',
  'a recorded effect was used again',
  'a batch of replies was delivered',
  'a batch of replies was lost',
  'a batch of replies was delivered, but not confirmed',
  'a batch of jobs was delivered',
  'a batch of jobs was lost',
  'a batch of jobs was delivered, but not confirmed',
  'a job that left its batch was delivered',
] as const;
const ENOUGH_SEEDS = 1_000;
const ALL_SEEDS = 2_000;

/**
 * Tests one of two shards of the seeds, so that two test files run in parallel. `count` is the number for both, unless
 * MILLRACE_SIMULATION_SEEDS names others.
 */
export function describeSimulation(shard: 1 | 2, count: number): void {
  let fixture: SimulationFixture | undefined;
  beforeAll(async () => {
    fixture = await openSimulationFixture();
    fixture.time.install();
  }, 60_000);
  afterAll(async () => {
    fixture?.time.uninstall();
    await fixture?.database.close();
  });

  test('every accepted run ends exactly once, whatever crashes, freezes or disconnects', async () => {
    if (fixture === undefined) throw new Error('the simulation fixture is missing');
    const seen: Record<string, number> = {};
    const seeds = seedsOf(shard, count);
    const [first] = seeds;
    for (const seed of seeds) {
      const report = await simulate(fixture, seed);
      for (const [what, times] of Object.entries(report.seen)) seen[what] = (seen[what] ?? 0) + times;
      // Identifiers and the order of rows depend on the seeds before it in this process.
      const again = `MILLRACE_SIMULATION_SEEDS=${seed}, or ${first}-${seed} if that one alone holds`;
      if (report.violations.length > 0 || (SEEDS !== undefined && seeds.length === 1))
        throw new Error([again, ...report.violations, ...report.timeline].join('\n'));
    }
    if (seeds.length >= ENOUGH_SEEDS)
      expect(EXPECTED_EVENTS.filter((what) => (seen[what] ?? 0) === 0)).toEqual([]);
  }, 1_500_000);
}

function seedsOf(shard: 1 | 2, count: number): readonly number[] {
  const [first, last] = SEEDS === undefined ? rangeOf(count) : boundsOf(SEEDS);
  const total = last - first + 1;
  // What one process of the full tier did is repeated by one process.
  const isWhole = SEEDS !== undefined && total <= ALL_SEEDS / 2;
  const middle = isWhole ? last + 1 : first + Math.ceil(total / 2);
  const [from, end] = shard === 1 ? [first, middle] : [middle, last + 1];
  return Array.from({ length: end - from }, (_, index) => from + index);
}

/** The quick tier has other histories each day, and the full tier the same ones. */
function rangeOf(count: number): readonly [number, number] {
  const first = count < ALL_SEEDS ? testSeed() : 1;
  return [first, first + count - 1];
}

function boundsOf(text: string): readonly [number, number] {
  const [, first, last = first] = /^(\d+)(?:-(\d+))?$/.exec(text) ?? [];
  if (first === undefined || Number(last) < Number(first))
    throw new Error(`MILLRACE_SIMULATION_SEEDS is neither a seed nor a range such as 1-2000: "${text}"`);
  return [Number(first), Number(last)];
}
