import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inputOptions } from '../commands/capacity-command';
import { cli } from '../testing/test-shell';
import { costOf, estimateCapacity } from './estimate-capacity';
import type { CapacityInput } from './estimate-capacity';
import { durableRun, furtherKilobyte, furtherVertex, interactiveRun } from './measured-costs';

const docs = join(__dirname, '../../../../docs');
const isUpdate = process.env['MILLRACE_UPDATE_DOCS'] === '1';

/** One run a second, as small as the measured ones, that waits for nothing. */
const small: CapacityInput = {
  ...{ runsPerSecond: 1, peakFactor: 1, durableShare: 0, secondsPerRun: 0, vertices: 2, kilobytes: 1 },
  ...{ retentionDays: 7, messageDays: 7, slots: 64 },
};

test('the costs of measured runs are those that were measured', () => {
  expect(costOf(small)).toEqual(interactiveRun);
  expect(costOf({ ...small, durableShare: 1 })).toEqual(durableRun);
  expect(costOf({ ...small, vertices: 102 }).executor).toBeCloseTo(395 + 100 * furtherVertex.executor);
  expect(costOf({ ...small, kilobytes: 11 }).postgresql).toBeCloseTo(104 + 10 * furtherKilobyte.postgresql);
  expect(costOf({ ...small, durableShare: 0.5 }).storedBytes).toBeCloseTo((5_544 + 6_677) / 2);
});

test('cores are the peak rate times the cost, and processes are cores at 70 % and one spare', () => {
  const { gateway, executor, ingest, postgresql } = estimateCapacity({
    ...small,
    runsPerSecond: 1_000,
    peakFactor: 4,
  });
  // 4,000 × 395 µs = 1.58 cores; 1.58 / 0.7 = 2.3, three processes and one.
  expect(executor).toMatchObject({ cores: 1.58, processes: 4 });
  // 4,000 × 196 µs = 0.784; 1.12, two processes and one.
  expect(gateway).toMatchObject({ cores: 0.79, processes: 3 });
  expect(ingest).toMatchObject({ cores: 0.02, processes: 2 });
  expect(postgresql.cores).toBe(0.42);
  expect(postgresql.connections).toBe(3 * 10 + 2 * 8 + 4 * 8);
});

test('runs that wait need slots: the peak rate times their duration', () => {
  const { runsInProgress, executor } = estimateCapacity({
    ...{ ...small, runsPerSecond: 100, peakFactor: 2, secondsPerRun: 3, slots: 64 },
  });
  expect(runsInProgress).toBe(600);
  // 600 / 64 = 9.4, ten processes and one.
  expect(executor.processes).toBe(11);
  const { executor: wide } = estimateCapacity({
    ...{ ...small, runsPerSecond: 100, peakFactor: 2, secondsPerRun: 3, slots: 600 },
  });
  expect(wide.processes).toBe(2);
});

test('the disk has the runs of the retention, the messages of theirs, free pages and log', () => {
  const { postgresql } = estimateCapacity({ ...small, runsPerSecond: 100, messageDays: 70 });
  // 100 × 86,400 × 5,544 bytes = 47.9 GB a day: half of it for 7 days, half for 70, by 1.3, and 2 GB.
  expect(postgresql.growthGigabytesPerDay).toBe(47.91);
  expect(postgresql.diskGigabytes).toBe(Math.ceil(23.95008 * 77 * 1.3 + 2));
  const { postgresql: larger } = estimateCapacity({ ...small, runsPerSecond: 100, kilobytes: 3 });
  expect(larger.growthGigabytesPerDay).toBeCloseTo((100 * 86_400 * (5_544 + 2 * 2_048)) / 1e9, 1);
});

test('memory grows with bodies in progress, and Redis with the sessions of a day', () => {
  const { executor, redis, rabbitmq } = estimateCapacity({
    ...{ ...small, runsPerSecond: 10, secondsPerRun: 10, kilobytes: 100 },
  });
  // 100 runs of 100 kB in 3 processes, by 15: 48.8 MiB.
  expect(executor).toMatchObject({ processes: 3, memoryMebibytes: 256 + 49 });
  expect(rabbitmq.memoryMebibytes).toBeGreaterThan(1_536);
  // 864,000 runs of 1,700 bytes and 99 kB.
  expect(redis.memoryMebibytes).toBe(64 + Math.ceil((864_000 * (1_700 + 99 * 1_024)) / 1_048_576));
  expect(estimateCapacity({ ...small, durableShare: 1 }).redis.memoryMebibytes).toBe(64);
});

test('more of anything never needs less', () => {
  const grown: Partial<CapacityInput>[] = [
    { runsPerSecond: 7 },
    { peakFactor: 5 },
    { secondsPerRun: 9 },
    { vertices: 90 },
    { kilobytes: 50 },
    { retentionDays: 30 },
    { messageDays: 400 },
  ];
  const numbers = (input: CapacityInput): readonly number[] =>
    Object.values(estimateCapacity(input)).flatMap((part: number | Record<string, number>) =>
      typeof part === 'number' ? [part] : Object.entries(part).flatMap(([name, value]) => (name === 'memoryMebibytes' ? [] : [value])),
    ); // prettier-ignore
  const before = numbers(small);
  for (const change of grown)
    numbers({ ...small, ...change }).forEach((value, index) =>
      expect(value).toBeGreaterThanOrEqual(before[index] ?? 0),
    );
});

test('the command prints a table or JSON, and refuses values outside of their bounds', async () => {
  const printed = await cli(['capacity', '--runs-per-second', '20']);
  expect(printed).toMatchObject({ code: 0, faults: '' });
  expect(printed.output).toMatch(/^At the peak: 60 runs a second, 180 in progress\n/);
  const asked = await cli(['capacity', '--runs-per-second', '20', '--durable-share', '0.5', '--json']);
  expect(asked.json()).toMatchObject({
    input: { runs_per_second: 20, durable_share: 0.5, slots: 64 },
    measured_on: { date: '2026-11-22' },
    executors: { processes: 4 },
    postgresql: { disk_gb: expect.any(Number) },
  });
  expect(await cli(['capacity'])).toMatchObject({ code: 64 });
  for (const [flag, value] of [
    ['runs-per-second', 'many'],
    ['runs-per-second', '-1'],
    ['durable-share', '1.1'],
    ['retention-days', '1'],
    ['slots', ''],
  ] as const)
    expect(await cli(['capacity', '--runs-per-second', '1', `--${flag}`, value])).toMatchObject({
      code: 64,
      faults: expect.stringMatching(`^--${flag} must be a number from `),
    });
});

const examples: readonly [title: string, input: Partial<CapacityInput>][] = [
  ['1 a second', { runsPerSecond: 1 }],
  ['20 a second', { runsPerSecond: 20 }],
  ['200 a second', { runsPerSecond: 200 }],
  ['200 webhooks a second, 10 s each', { runsPerSecond: 200, durableShare: 1, secondsPerRun: 10 }],
  ['20 a second of 100 kB', { runsPerSecond: 20, kilobytes: 100 }],
];

test('docs/capacity.md has the table of examples and the measured costs', () => {
  const page = join(docs, 'capacity.md');
  const defaults = Object.fromEntries(inputOptions.map(({ member, value }) => [member, value]));
  const rows = examples.map(([title, input]) => {
    const { gateway, ingest, executor, postgresql, rabbitmq, redis } = estimateCapacity({
      ...(defaults as unknown as CapacityInput),
      ...input,
    });
    const services = [gateway, ingest, executor].map(({ processes, cores }) => `${processes} (${cores})`);
    return [
      ...[title, ...services, `${postgresql.cores}`, `${postgresql.diskGigabytes.toLocaleString('en')} GB`],
      ...[`${rabbitmq.cores}`, `${rabbitmq.memoryMebibytes} MiB`, `${redis.memoryMebibytes.toLocaleString('en')} MiB`],
    ];
  }); // prettier-ignore
  const costs = (
    [
      ['a run whose caller waits', interactiveRun],
      ['a webhook with its run', durableRun],
      ['a further vertex', furtherVertex],
      ['a further kilobyte', furtherKilobyte],
    ] as const
  ).map(([title, cost]) => [title, ...Object.values(cost).map(String)]);
  const tables = {
    examples: table(
      ['', 'gateways (cores)', 'ingest', 'executors', 'PostgreSQL, cores', 'its disk', 'RabbitMQ, cores', 'its memory', 'Redis'],
      rows,
    ),
    costs: table(
      ['', 'gateway', 'ingest', 'executor', 'RabbitMQ', 'Redis', 'PostgreSQL', 'stored, bytes', 'log, bytes'],
      costs,
    ),
  }; // prettier-ignore
  const text = readFileSync(page, 'utf8');
  const wanted = Object.entries(tables).reduce(
    (rest, [name, lines]) =>
      rest.replace(
        new RegExp(`(<!-- table: ${name} -->\n)[^]*?(<!-- end -->)`),
        (_, begin: string, end: string) => `${begin}\n${lines}\n\n${end}`,
      ),
    text,
  );
  if (isUpdate) writeFileSync(page, wanted);
  expect(readFileSync(page, 'utf8')).toBe(wanted);
});

/** A table of Markdown in the form that prettier gives it. */
function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = headings.map((heading, index) =>
    Math.max(3, heading.length, ...rows.map((row) => row[index]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join(' | ')} |`;
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  return [line(headings), rule, ...rows.map(line)].join('\n');
}
