import { simulateSchedules } from './simulate-schedules';

const SCHEDULES = Number(process.env['TEST_SCHEDULES'] ?? 20);
const SEED = Number(process.env['TEST_SEED'] ?? 1);
const from = Date.parse('2026-01-01T00:00:00Z');
const to = Date.parse('2027-01-01T00:00:00Z');

test(`in a year, ${SCHEDULES} schedules fire each occurrence exactly once by their policies`, () => {
  const counts = simulateSchedules({ seed: SEED, schedules: SCHEDULES, from, to });
  expect(counts.outages).toBeGreaterThan(5);
  expect(counts.jumps).toBeGreaterThan(10);
  expect(counts.crashes).toBeGreaterThan(0);
  expect(counts.fired).toBeGreaterThan(SCHEDULES * 50);
  expect(counts.missed).toBeGreaterThan(0);
  if (process.env['TEST_SCHEDULES'] !== undefined) process.stdout.write(`${JSON.stringify(counts)}\n`);
}, 3_600_000);
