import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..', '..', '..');

interface Report {
  readonly verdict: string;
  readonly strikes: readonly { readonly id: string; readonly missed?: string }[];
  readonly figures: { readonly accepted: number };
}

test('an installation keeps its promises while executors, ingests and connections break under load', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-chaos-report-'));
  const file = join(directory, 'report.json');
  const words = ['--seed', '7', '--minutes', '0.4', '--rate', '6', '--faults', 'F1,F2,cuts', '--out', file];
  const chaos = spawn(process.execPath, [join(ROOT, 'chaos', 'chaos.mjs'), ...words], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  chaos.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  try {
    const [code] = (await once(chaos, 'exit')) as [number | null];
    // It needs servers that it may kill; where these are only given as URLs or containers, it says so.
    const missing = /^not installed on this machine: .*$/m.exec(output)?.[0];
    if (missing !== undefined) {
      process.stdout.write(`${missing}\n`);
      return;
    }
    expect({ code, verdict: /^verdict: .*$/m.exec(output)?.[0] }).toEqual({
      code: 0,
      verdict: 'verdict: held',
    });
    const { strikes, figures } = JSON.parse(readFileSync(file, 'utf8')) as Report;
    expect(new Set(strikes.map(({ id }) => id)).size).toBeGreaterThan(1);
    expect(figures.accepted).toBeGreaterThan(20);
  } finally {
    chaos.kill('SIGTERM');
    rmSync(directory, { recursive: true, force: true });
  }
}, 240_000);
