import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPrometheus } from '@millrace/scaled-system';
import type { Prometheus } from '@millrace/scaled-system';
import { until, untilSuccess } from '@millrace/service/testing';
import { readDashboards, readRules, RULES } from '../deployment/observability/read-files';
import { groupingLabelsOf, selectorsOf, withoutVariables } from './promql';
import { startTestSystem } from './test-system';
import type { ExampleFlow, TestSystem } from './test-system';

const DEADLINE_MILLISECONDS = 120_000;
/** Labels that Prometheus adds, and the names of rules. */
const ADDED_LABELS = ['job', 'instance', 'worker', 'le', 'alertname', 'alertstate', 'severity'];

let system: TestSystem;
let prometheus: Prometheus;
let folder: string;
/** Values of each label of each metric of the running system. */
let known: ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>>;

const panels = Object.entries(readDashboards()).flatMap(([file, dashboard]) =>
  dashboard.panels.flatMap(({ title, targets }) =>
    targets.map(({ refId, expr }) => [`${file}: ${title} ${refId}`, withoutVariables(expr)] as const),
  ),
);
const rules = readRules().map(({ alert, record, expr }) => [alert ?? record ?? '', expr] as const);

beforeAll(async () => {
  const program = process.env['PROMETHEUS'];
  if (!program) throw new Error('PROMETHEUS is not set: npm test finds or installs the program');
  folder = mkdtempSync(join(tmpdir(), 'millrace-prices-'));
  const prices = join(folder, 'prices.json');
  writeFileSync(prices, JSON.stringify({ models: { echo: { input: 1, output: 2 } } }));
  system = await startTestSystem({
    workers: { ingest: 2 },
    environment: { MILLRACE_BACKLOG_INTERVAL_SECONDS: '1', MILLRACE_MODEL_PRICES: prices },
  });
  prometheus = await startPrometheus({
    program,
    rules: readFileSync(RULES, 'utf8'),
    ports: {
      'millrace-gateway': [Number(system.gateway.ready['port'])],
      'millrace-ingest': [system.ingestPort],
      'millrace-executor': system.executors.map(({ ready }) => Number(ready['healthPort'])),
    },
  });
  await until(
    async () => (await prometheus.targets()).every(({ health }) => health === 'up'),
    'a process is not scraped',
  );
}, 180_000);

afterAll(async () => {
  await prometheus?.stop();
  await system?.stop();
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
}, 90_000);

/** Sends one request of each kind, with and without faults. */
async function sendRequests(flows: {
  readonly echo: string;
  readonly chats: readonly string[];
}): Promise<void> {
  const run = (endpoint: string) => system.post(`/api/v1/run/${endpoint}`, { input_value: 'hello' });
  const strangers = { headers: { ...system.headers, 'x-api-key': 'sk-unknown' } };
  const answers = await Promise.all([
    run(flows.echo),
    ...flows.chats.map(run),
    run('unknown'),
    system.post(`/api/v1/run/${flows.echo}?stream=true`, { input_value: 'hello' }),
    system.post(`/api/v1/webhook/${flows.echo}`, {}),
    system.post(`/api/v1/webhook/${flows.echo}`, {}, strangers),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 404, 200, 202, 403]);
  await Promise.all(answers.map((answer) => answer.text()));
}

test('each expression of each dashboard has data under a load with faults', async () => {
  const { id, endpoint: echo } = await system.upload('echo');
  const config = { every_seconds: 1 };
  const schedule = { flow_id: id, name: 'each second', kind: 'schedule', state: 'active', config };
  expect((await system.post('/api/v1/triggers', schedule)).status).toBe(201);
  const chats = [await system.upload('chat'), await system.upload('chat', nameUnpricedModel)];
  const flows = { echo, chats: chats.map(({ endpoint }) => endpoint) };
  let isOver = false;
  const load = (async () => {
    while (!isOver) await sendRequests(flows);
  })();
  const empty = new Map(panels);
  try {
    await until(
      async () => {
        for (const [name, expression] of empty)
          if (
            (await prometheus.query(expression)).some(({ value: [, text] }) => Number.isFinite(Number(text)))
          )
            empty.delete(name);
        return empty.size === 0;
      },
      'expressions without data',
      DEADLINE_MILLISECONDS,
    ).catch((error: unknown) => {
      throw new Error(`no data for ${[...empty].map((one) => one.join(': ')).join('\n')}`, { cause: error });
    });
  } finally {
    isOver = true;
    await load;
  }
}, 240_000);

test('expressions name only metrics, labels and values of a running system', async () => {
  known = await readSeries();
  for (const [name, expression] of [...panels, ...rules]) {
    const selectors = selectorsOf(expression);
    expect([name, selectors.length > 0]).toEqual([name, true]);
    const labels = new Set(ADDED_LABELS);
    for (const { metric, matchers } of selectors) {
      const values = known.get(metric);
      if (metric === 'ALERTS') continue;
      expect([name, metric, values !== undefined]).toEqual([name, metric, true]);
      for (const label of values?.keys() ?? []) labels.add(label);
      for (const { label, operator, value } of matchers)
        expectKnown({ name, metric, label, operator, value });
    }
    for (const label of groupingLabelsOf(expression))
      expect([name, label, labels.has(label)]).toEqual([name, label, true]);
  }
}, 60_000);

test('an expression with an unknown metric, label or value is recognised', async () => {
  known = await readSeries();
  expect(known.has('millrace_no_such_metric')).toBe(false);
  const matcher = { name: '', metric: 'millrace_run_attempts_total', operator: '=~' };
  expect(() => expectKnown({ ...matcher, label: 'reason', value: 'first|mistyped' })).toThrow();
  expect(() => expectKnown({ ...matcher, label: 'mistyped', value: 'first' })).toThrow();
  expect(
    selectorsOf('sum by (pool) (rate(millrace_a_total{b=~"c|d", e!="f"}[5m])) / millrace:g:rate5m > 0'),
  ).toEqual([
    {
      metric: 'millrace_a_total',
      matchers: [
        { label: 'b', operator: '=~', value: 'c|d' },
        { label: 'e', operator: '!=', value: 'f' },
      ],
    },
    { metric: 'millrace:g:rate5m', matchers: [] },
  ]);
});

test('Prometheus evaluates all rules', async () => {
  await untilSuccess(async () => {
    const response = await fetch(`${prometheus.url}/api/v1/rules`);
    const { data } = (await response.json()) as {
      data: { groups: readonly { rules: readonly { name: string; health: string; lastError?: string }[] }[] };
    };
    const all = data.groups.flatMap((group) => group.rules);
    expect(all.map(({ health }) => health)).toEqual(rules.map(() => 'ok'));
  }, DEADLINE_MILLISECONDS);
}, 150_000);

interface Matcher {
  readonly name: string;
  readonly metric: string;
  readonly label: string;
  readonly operator: string;
  readonly value: string;
}

/** Requires the label to exist, and each alternative of the value, unless that is a pattern. */
function expectKnown({ name, metric, label, operator, value }: Matcher): void {
  const values = known.get(metric)?.get(label);
  expect([name, metric, label, values !== undefined]).toEqual([name, metric, label, true]);
  if (operator.startsWith('!') || /[.*+]/.test(value)) return;
  for (const alternative of value.split('|'))
    expect([name, metric, label, alternative, values?.has(alternative)]).toEqual([
      name,
      metric,
      label,
      alternative,
      true,
    ]);
}

/** Reads the labels of everything that Prometheus has of the last minutes. */
async function readSeries(): Promise<typeof known> {
  const metrics = new Map<string, Map<string, Set<string>>>();
  for (const { metric } of await prometheus.query('{__name__=~".+"}')) note(metrics, metric);
  return metrics;
}

function note(
  metrics: Map<string, Map<string, Set<string>>>,
  labels: Readonly<Record<string, string>>,
): void {
  const { __name__: name = '', ...others } = labels;
  const valuesByLabel = metrics.get(name) ?? new Map<string, Set<string>>();
  metrics.set(name, valuesByLabel);
  for (const [label, value] of Object.entries(others))
    valuesByLabel.set(label, (valuesByLabel.get(label) ?? new Set()).add(value));
}

function nameUnpricedModel(flow: ExampleFlow): void {
  flow.data = JSON.parse(
    JSON.stringify(flow.data).replaceAll('"name":"echo"', '"name":"unpriced"'),
  ) as typeof flow.data;
}
