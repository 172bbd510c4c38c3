import { openDatabase } from '@millrace/database';
import type { Database } from '@millrace/database';
import { createMetrics, Health } from '@millrace/service';
import type { Logger } from '@millrace/service';
import { DatabaseClock } from './database-clock';

const TEN_MINUTES = 600_000;
/** Between two readings of a clock; a busy machine is slow. */
const TOLERANCE = 60_000;

let database: Database;
const lines: string[] = [];
const record = (fields: object, message: string) => void lines.push(`${message} ${JSON.stringify(fields)}`);
const ignore = () => undefined;
const logger: Logger = {
  level: 'info',
  debug: ignore,
  info: record,
  warn: record,
  error: record,
  fatal: record,
  child: () => logger,
};

beforeAll(async () => {
  database = await openDatabase({ url: undefined, logger, name: 'clock-test' });
}, 60_000);

afterAll(() => database.close());

beforeEach(() => void lines.splice(0));

/** Returns a clock for a machine that is ahead by `machine.ahead` milliseconds. */
function clockOf(machine: { ahead: number }, of: Pick<Database, 'query'> = database) {
  const metrics = createMetrics();
  const health = new Health();
  const clock = new DatabaseClock({
    database: of as Database,
    logger,
    metrics,
    health,
    machineClock: () => Date.now() + machine.ahead,
  });
  const gauge = async () =>
    /^millrace_clock_skew_seconds(?:\{.*\})? (\S+)$/m.exec(await metrics.prometheusText())?.[1];
  return { clock, health, metrics, gauge };
}

test.each([TEN_MINUTES, -TEN_MINUTES, 0])(
  'a machine that is ahead by %d ms returns the time of the database',
  async (ahead) => {
    const { clock, gauge } = clockOf({ ahead });
    expect(clock.isShared).toBe(false);
    expect(await gauge()).toBeUndefined();
    await clock.measure();
    expect(clock.isShared).toBe(true);
    expect(Math.abs(clock.now() - Date.now())).toBeLessThan(TOLERANCE);
    expect(Math.abs(Number(await gauge()) - ahead / 1_000)).toBeLessThan(TOLERANCE / 1_000);
  },
);

test('a clock difference is logged when it begins and when it ends, and is a check that does not affect readiness', async () => {
  const machine = { ahead: 0 };
  const { clock, health } = clockOf(machine);
  await clock.measure();
  expect(lines).toEqual([]);
  expect(await health.ready()).toMatchObject({ ready: true, checks: { clock: { ok: true } } });

  machine.ahead = -TEN_MINUTES;
  for (let count = 0; count < 3; count += 1) await clock.measure();
  expect(lines).toEqual([
    expect.stringMatching(/^the machine's clock differs from the database's \{"skewSeconds":-[56]\d\d/),
  ]);
  expect(await health.ready()).toMatchObject({
    ready: true,
    checks: {
      clock: {
        ok: false,
        error: expect.stringMatching(/^this machine's clock is [56]\d\d.* s behind the database's$/),
      },
    },
  });

  // Between the two limits nothing changes, in either direction.
  machine.ahead = -4_000;
  await clock.measure();
  expect(lines).toHaveLength(1);
  machine.ahead = 0;
  await clock.measure();
  machine.ahead = 4_000;
  await clock.measure();
  expect(lines.slice(1)).toEqual([expect.stringContaining("agrees with the database's again")]);
  expect(await health.ready()).toMatchObject({ checks: { clock: { ok: true } } });
});

test('a step of the machine clock does not affect the clock', async () => {
  const machine = { ahead: 0 };
  const { clock } = clockOf(machine);
  await clock.measure();
  machine.ahead = TEN_MINUTES;
  expect(Math.abs(clock.now() - Date.now())).toBeLessThan(TOLERANCE);
});

test('while the database is unavailable the last comparison is used, and one line is logged', async () => {
  let isAway = true;
  const { clock, metrics } = clockOf(
    { ahead: TEN_MINUTES },
    { query: (statement) => (isAway ? Promise.reject(new Error('away')) : database.query(statement)) },
  );
  await clock.start();
  expect(clock.isShared).toBe(false);
  expect(Math.abs(clock.now() - Date.now() - TEN_MINUTES)).toBeLessThan(TOLERANCE);
  isAway = false;
  await clock.measure();
  isAway = true;
  await clock.measure();
  await clock.measure();
  expect(Math.abs(clock.now() - Date.now())).toBeLessThan(TOLERANCE);
  expect(lines.filter((line) => line.includes('could not be compared'))).toHaveLength(2);
  expect(await metrics.prometheusText()).toMatch(/^millrace_clock_comparisons_failed_total(?:\{.*\})? 3$/m);
  await clock.close();
});
