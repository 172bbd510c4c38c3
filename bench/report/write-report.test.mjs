import { match, ok, rejects } from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { environment } from './environment.fixture.mjs';
import { writeReport } from './write-report.mjs';

const folder = mkdtempSync(join(tmpdir(), 'millrace-report-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/**
 * @param {string} name
 * @param {number} ratio
 */
function results(name, ratio, errors = 0) {
  const goal = { what: 'throughput', value: ratio, bound: 'at least 0.6', holds: ratio >= 0.6 };
  const scenario = { id: 'B2', title: 'runs', limit: 'bare', goal: 'fast', of: 'the limit', goals: [goal] };
  const sides = { limit: { perSecond: 100, p50: 1, p99: 2 } };
  const figures = { ratio, errors, perSecond: 100 * ratio, p50: 1, p99: 2, sides };
  const file = join(folder, name);
  writeFileSync(
    file,
    JSON.stringify({ environment, seconds: 1, rounds: 1, scenarios: [{ ...scenario, ...figures }] }),
  );
  return file;
}

test('shows the median of several runs, and a profile', async () => {
  const services = [{ service: 'gateway', cpuMicroseconds: 200, hops: [{ name: 'answer', share: 0.25 }] }];
  const profile = join(folder, 'profile.json');
  const sides = [{ name: 'millrace', requests: 7, services }];
  writeFileSync(profile, JSON.stringify([{ environment, id: 'B2', title: 'runs', sides }]));
  const page = join(folder, 'benchmarks.md');
  const files = [results('1.json', 0.4), results('2.json', 0.7), results('3.json', 0.5), profile];
  ok((await writeReport(files, page)) === 0);
  const text = readFileSync(page, 'utf8');
  match(text, /\| B2 +\| runs +\| 0\.50 of the limit +\| throughput: 0\.5 \(at least 0\.6\) +\|/);
  match(text, /\| B2 +\| limit +\| 100 +\| 1(?:\.00)? +\| 2(?:\.00)? +\|/);
  match(text, /\| gateway +\| 200 µs +\| 100 % +\|/);
  match(text, /\| answer +\| 50\.0 µs +\| 25\.0 % +\|/);
});

test('refuses results with errors', async () => {
  await rejects(
    async () => writeReport([results('4.json', 0.4, 1)], join(folder, 'benchmarks.md')),
    /B2 had errors: no report/,
  );
});
