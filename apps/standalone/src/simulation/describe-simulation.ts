import { testSeed } from '@millrace/service/testing';
import { openSimulationFixture } from './simulation-fixture';
import type { SimulationFixture } from './simulation-fixture';
import { simulate } from './simulate';

const SEEDS = process.env['MILLRACE_SIMULATION_SEEDS'];
const ONLY = process.env['MILLRACE_SIMULATION_SEED'];
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
  'a batch of replies was delivered',
  'a batch of replies was lost',
  'a batch of replies was delivered, but not confirmed',
  'a batch of jobs was delivered',
  'a batch of jobs was lost',
  'a batch of jobs was delivered, but not confirmed',
  'a job that left its batch was delivered',
] as const;
const ENOUGH_SEEDS = 200;
const ALL_SEEDS = 2_000;

/**
 * Tests one of two shards of the seeds, so that two test files run in parallel. `defaultSeeds` is the number for both, unless
 * MILLRACE_SIMULATION_SEEDS has another one.
 */
export function describeSimulation(shard: 1 | 2, defaultSeeds: number): void {
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
    const seeds = seedsOf(shard, Number(SEEDS ?? defaultSeeds) / 2);
    for (const seed of seeds) {
      const report = await simulate(fixture, seed);
      for (const [what, count] of Object.entries(report.seen)) seen[what] = (seen[what] ?? 0) + count;
      if (report.violations.length > 0 || ONLY !== undefined)
        throw new Error(
          [`MILLRACE_SIMULATION_SEED=${seed}`, ...report.violations, ...report.timeline].join('\n'),
        );
    }
    if (seeds.length >= ENOUGH_SEEDS)
      expect(EXPECTED_EVENTS.filter((what) => (seen[what] ?? 0) === 0)).toEqual([]);
  }, 1_500_000);
}

function seedsOf(shard: 1 | 2, count: number): readonly number[] {
  if (ONLY !== undefined) return shard === 1 ? [Number(ONLY)] : [];
  // The quick tier has other histories each day, and the full tier the same ones.
  const base = count < ALL_SEEDS / 2 ? testSeed() : 1;
  const first = base + (shard === 1 ? 0 : count);
  return Array.from({ length: count }, (_, index) => first + index);
}
