import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..');

interface Results {
  readonly environment: { readonly revision: string; readonly node: string; readonly servers: object };
  readonly scenarios: readonly {
    readonly id: string;
    readonly ratio: number;
    readonly errors: number;
    readonly rounds: Readonly<Record<string, readonly { readonly requests: number }[]>>;
  }[];
}

let directory: string;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'millrace-bench-results-'));
});

afterAll(() => rmSync(directory, { recursive: true, force: true }));

async function bench(...words: string[]): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, [join(ROOT, 'bench', 'bench.mjs'), ...words], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
}

test('each scenario prints its ratio to the limit, and the report contains the same figures', async () => {
  const file = join(directory, 'results.json');
  const short = ['--seconds', '0.5', '--rounds', '2', '--out', file];
  const { code, output } = await bench('--scenario', 'B2,b5', ...short);
  for (const id of ['B2', 'B5'])
    expect(output).toMatch(
      new RegExp(`^${id} ratio \\d+\\.\\d\\d of the limit, \\d+/s, p50 \\S+ ms, p99 \\S+ ms, errors 0$`, 'm'),
    );
  expect(code).toBe(0);
  const { environment, scenarios } = JSON.parse(readFileSync(file, 'utf8')) as Results;
  expect(environment).toMatchObject({
    node: process.version,
    servers: { broker: expect.any(String), fsync: expect.stringMatching(/^o(n|ff)$/) },
  });
  expect(scenarios.map(({ id, errors }) => [id, errors])).toEqual([
    ['B2', 0],
    ['B5', 0],
  ]);
  for (const { rounds } of scenarios)
    for (const side of ['limit', 'millrace']) {
      expect(rounds[side]).toHaveLength(2);
      for (const round of rounds[side] ?? []) expect(round.requests).toBeGreaterThan(0);
    }

  const page = join(directory, 'benchmarks.md');
  expect(await bench('--report', file, '--out', page)).toMatchObject({ code: 0 });
  const text = readFileSync(page, 'utf8');
  for (const { id, ratio } of scenarios)
    expect(text).toMatch(new RegExp(`^\\| ${id} .* ${ratio.toFixed(2)} of the limit`, 'm'));
  expect(text).toContain(environment.revision);
}, 240_000);

test('refuses a report of results with errors', async () => {
  const file = join(directory, 'broken.json');
  writeFileSync(file, JSON.stringify({ scenarios: [{ id: 'B2', errors: 3 }] }));
  const { code, output } = await bench('--report', file, '--out', join(directory, 'broken.md'));
  expect([code, output]).toEqual([1, expect.stringContaining('B2 had errors: no report')]);
});

test('names an unknown scenario', async () => {
  const { code, output } = await bench('--scenario', 'B2,B99');
  expect([code, output]).toEqual([1, expect.stringContaining('not "B99"')]);
});
