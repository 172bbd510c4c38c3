import { prepareGround } from './ground';
import type { Ground } from './ground';
import { simulate } from './simulate';

const HALF = Number(process.env['MILLRACE_SIMULATION_SEEDS'] ?? 2_000) / 2;
const ONLY = process.env['MILLRACE_SIMULATION_SEED'];
/** What must have happened somewhere among the seeds, or they prove nothing. */
const EXPECTED = [
  'succeeded',
  'failed',
  'cancelled',
  'dead',
  'attempted again',
  'another attempt owns this run: result discarded',
  'swept',
  'accepted again',
  'answered',
  'answered by a later attempt',
  'streamed',
  'attached',
  'left',
  'cut off',
  'refused: broker_unavailable',
  'refused: deadline_exceeded',
  'mild',
] as const;
const ENOUGH_SEEDS = 200;

/** Tests one half of the seeds, so that two test files share the work. */
export function describeSimulation(half: 'first' | 'second'): void {
  let ground: Ground | undefined;
  beforeAll(async () => {
    ground = await prepareGround();
    ground.time.install();
  }, 60_000);
  afterAll(async () => {
    ground?.time.uninstall();
    await ground?.database.close();
  });

  test('every accepted run ends once, whatever dies, stands still or breaks', async () => {
    if (ground === undefined) throw new Error('there is nothing to simulate on');
    const seen: Record<string, number> = {};
    const seeds = seedsOf(half);
    for (const seed of seeds) {
      const report = await simulate(ground, seed);
      for (const [what, count] of Object.entries(report.seen)) seen[what] = (seen[what] ?? 0) + count;
      if (report.violations.length > 0 || ONLY !== undefined)
        throw new Error(
          [`MILLRACE_SIMULATION_SEED=${seed}`, ...report.violations, ...report.timeline].join('\n'),
        );
    }
    if (seeds.length >= ENOUGH_SEEDS) expect(EXPECTED.filter((what) => (seen[what] ?? 0) === 0)).toEqual([]);
  }, 600_000);
}

function seedsOf(half: 'first' | 'second'): readonly number[] {
  if (ONLY !== undefined) return half === 'first' ? [Number(ONLY)] : [];
  const first = half === 'first' ? 1 : HALF + 1;
  return Array.from({ length: HALF }, (_, index) => first + index);
}
