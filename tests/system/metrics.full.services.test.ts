import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '@millrace/service/testing';
import { promtoolPath } from '../deployment/observability/promtool.fixture';
import { metricsPage, readFamilies } from './metrics-page';
import type { Family } from './metrics-page';
import { startTestSystem } from './test-system';
import type { TestSystem } from './test-system';

const PAGE = join(__dirname, '..', '..', 'docs', 'operate', 'metrics.md');
const folder = mkdtempSync(join(tmpdir(), 'millrace-metrics-'));
let system: TestSystem;
let texts: Readonly<Record<string, string>>;
let families: Readonly<Record<string, readonly Family[]>>;

/** Starts a system with several processes of ingest, and uses everything that has metrics. */
beforeAll(async () => {
  system = await startTestSystem({
    workers: { ingest: 2 },
    environment: { MILLRACE_BACKLOG_INTERVAL_SECONDS: '1', MILLRACE_MODEL_PRICES: writePrices() },
  });
  const { endpoint } = await system.upload('echo');
  const run = `/api/v1/run/${endpoint}`;
  expect((await system.post(run, { input_value: 'hello' })).status).toBe(200);
  await (await system.post(`${run}?stream=true`, { input_value: 'hello' })).text();
  expect((await system.post(`/api/v1/webhook/${endpoint}`, {})).status).toBe(202);
  const chat = await system.upload('chat');
  const unpriced = await system.upload('chat', ({ data }) => {
    data.nodes = JSON.parse(
      JSON.stringify(data.nodes).replaceAll('"name":"echo"', '"name":"other"'),
    ) as unknown[];
  });
  const remembering = await system.upload('chat-with-memory');
  for (const { endpoint: name } of [chat, unpriced, remembering])
    expect((await system.post(`/api/v1/run/${name}`, { input_value: 'hello' })).status).toBe(200);
  await until(async () => {
    texts = await scrape();
    const areChecked = Object.values(texts).every((text) => /^millrace_check_passed\{/m.test(text));
    return areChecked && /^millrace_lane_executors\{.*lane="interactive"/m.test(texts['ingest'] ?? '');
  }, 'the backlog was not counted, or a check not made');
  families = Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, readFamilies(text)]));
}, 120_000);

afterAll(async () => {
  await system?.stop();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

/** Writes a table with the price of one of the models; returns its path. */
function writePrices(): string {
  const path = join(folder, 'prices.json');
  writeFileSync(path, JSON.stringify({ models: { echo: { input: 1, output: 2 } } }));
  return path;
}

async function scrape(): Promise<Record<string, string>> {
  const ports = {
    gateway: system.gateway.ready['port'],
    ingest: system.ingestPort,
    executor: system.executors[0]?.ready['healthPort'],
  };
  const entries = Object.entries(ports).map(async ([name, port]) => {
    const response = await fetch(`http://127.0.0.1:${String(port)}/metrics`);
    return [name, await response.text()] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

test('docs/operate/metrics.md has each metric of a running system, with its labels and services', () => {
  const page = metricsPage(families);
  if (process.env['MILLRACE_UPDATE_DOCS'] === '1') writeFileSync(PAGE, page);
  expect(readFileSync(PAGE, 'utf8')).toBe(page);
});

test('names follow the rules of Prometheus', () => {
  for (const { name, type, help } of Object.values(families).flat()) {
    if (help.startsWith('Deprecated')) continue;
    expect([name, /^[a-z][a-z0-9_]*$/.test(name)]).toEqual([name, true]);
    expect([name, name.endsWith('_total')]).toEqual([name, type === 'counter']);
    expect([name, type !== 'histogram' || /_(seconds|bytes)$/.test(name)]).toEqual([name, true]);
    expect([name, help.length > 0]).toEqual([name, true]);
  }
});

test('all samples of a metric have the same labels', () => {
  for (const { name, labelSets } of Object.values(families).flat())
    expect([name, labelSets.size]).toEqual([name, 1]);
});

test('a metric has one meaning in all services', () => {
  const seen = new Map<string, string>();
  for (const { name, type, help, labels } of Object.values(families).flat()) {
    const meaning = JSON.stringify([type, help, labels]);
    expect([name, seen.get(name) ?? meaning]).toEqual([name, meaning]);
    seen.set(name, meaning);
  }
});

test.each(['gateway', 'ingest', 'executor'])('promtool finds no fault in the metrics of %s', (name) => {
  const { status, stdout, stderr } = spawnSync(promtoolPath(), ['check', 'metrics'], {
    input: texts[name],
    encoding: 'utf8',
    timeout: 600_000,
  });
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' });
});
