import { createMetrics } from '../index';

test('counts, distributions and gauges are readable as Prometheus text', async () => {
  const metrics = createMetrics();
  const runs = metrics.counter('millrace_runs', 'Runs.');
  runs.add(2, { lane: 'interactive' });
  runs.add(1, { lane: 'interactive' });
  metrics.histogram('millrace_run_seconds', 'Duration.', { unit: 's', boundaries: [0.1, 1] }).record(0.5);
  metrics.gauge('millrace_slots', 'Slots.', () => 64);
  metrics.gauge('millrace_states', 'States.', () => [
    [1, { state: 'open' }],
    [0, { state: 'closed' }],
  ]);
  const text = await metrics.prometheusText();
  for (const line of [
    'millrace_runs_total{lane="interactive"} 3',
    'millrace_run_seconds_bucket{le="0.1"} 0',
    'millrace_run_seconds_bucket{le="1"} 1',
    'millrace_run_seconds_count 1',
    'millrace_slots 64',
    'millrace_states{state="open"} 1',
  ])
    expect(text.split('\n')).toContain(line);
  await metrics.close();
  await metrics.close();
});

test('counters have the value 0 from the start, with each combination of their labels', async () => {
  const metrics = createMetrics();
  metrics.counter('millrace_plain', 'Plain.');
  metrics.counter('millrace_labelled', 'Labelled.', { labels: { a: ['1', '2'], b: ['x', 'y'] } });
  let read = 3;
  metrics.total('millrace_read_total', 'Read.', () => read);
  const lines = async () =>
    (await metrics.prometheusText()).split('\n').filter((line) => /^millrace_/.test(line));
  expect(await lines()).toEqual([
    'millrace_plain_total 0',
    'millrace_labelled_total{a="1",b="x"} 0',
    'millrace_labelled_total{a="1",b="y"} 0',
    'millrace_labelled_total{a="2",b="x"} 0',
    'millrace_labelled_total{a="2",b="y"} 0',
    'millrace_read_total 3',
  ]);
  read = 5;
  expect(await lines()).toContain('millrace_read_total 5');
  await metrics.close();
});

test('a gauge has no value for labels that it does not report any more', async () => {
  const metrics = createMetrics();
  let pools = ['a', 'b'];
  metrics.gauge('millrace_pools', 'Pools.', () => pools.map((pool) => [1, { pool }] as const));
  const lines = async () =>
    (await metrics.prometheusText()).split('\n').filter((line) => line.startsWith('millrace_'));
  expect(await lines()).toEqual(['millrace_pools{pool="a"} 1', 'millrace_pools{pool="b"} 1']);
  pools = ['b'];
  expect(await lines()).toEqual(['millrace_pools{pool="b"} 1']);
  pools = [];
  expect(await lines()).toEqual([]);
  await metrics.close();
});

test('the order of attributes makes no difference', async () => {
  const metrics = createMetrics();
  const counter = metrics.counter('millrace_runs', 'Runs.');
  counter.add(1, { a: 'x', b: 'y' });
  counter.add(2, { b: 'y', a: 'x' });
  counter.add(4, { a: 'x' });
  const read = async () =>
    (await metrics.prometheusText()).split('\n').filter((line) => /^millrace/.test(line));
  expect(await read()).toEqual([
    'millrace_runs_total 0',
    'millrace_runs_total{a="x",b="y"} 3',
    'millrace_runs_total{a="x"} 4',
  ]);
  counter.add(1, { a: 'x' });
  expect(await read()).toContain('millrace_runs_total{a="x"} 5');
  await metrics.close();
});

test('a counter has at most 2,000 sets of attributes; the others are added up', async () => {
  const metrics = createMetrics();
  const counter = metrics.counter('millrace_runs', 'Runs.');
  for (let count = 0; count < 3_000; count += 1) counter.add(1, { name: `name-${count}` });
  const values = (await metrics.prometheusText())
    .split('\n')
    .filter((line) => /^millrace_runs_total/.test(line))
    .map((line) => Number(line.split(' ').at(-1)));
  expect(values.length).toBeLessThanOrEqual(2_000);
  expect(values.reduce((sum, value) => sum + value, 0)).toBe(3_000);
  await metrics.close();
});

test('two sets of metrics are independent', async () => {
  const [one, other] = [createMetrics(), createMetrics()];
  one.counter('millrace_runs', 'Runs.').add(1);
  expect(await other.prometheusText()).not.toContain('millrace_runs');
  await Promise.all([one.close(), other.close()]);
});
