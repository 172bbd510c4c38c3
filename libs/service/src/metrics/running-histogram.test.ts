import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { AggregationTemporality, MeterProvider } from '@opentelemetry/sdk-metrics';
import type { DataPoint, Histogram as HistogramValue } from '@opentelemetry/sdk-metrics';
import { createMetrics } from '../index';
import { HistogramProducer } from './histogram-producer';
import { RunningHistogram } from './running-metrics';

const boundaries = [0.005, 0.1, 1];
/** Values below, at and above boundaries, and some that no histogram counts. */
const values: readonly (readonly [number, Readonly<Record<string, string>>])[] = [
  [0, { lane: 'interactive', form: 'run' }],
  [0.005, { lane: 'interactive', form: 'run' }],
  [0.0051, { form: 'run', lane: 'interactive' }],
  [1, { lane: 'background' }],
  [7.25, { lane: 'background' }],
  [-1, { lane: 'background' }],
  [Number.NaN, { lane: 'background' }],
  [0.5, {}],
];

test('a histogram has the same text for Prometheus as one of OpenTelemetry', async () => {
  const reader = new PrometheusExporter({ preventServerStart: true });
  const provider = new MeterProvider({ readers: [reader] });
  const theirs = provider.getMeter('millrace').createHistogram('millrace_run_seconds', {
    description: 'Duration "of" runs',
    unit: 's',
    advice: { explicitBucketBoundaries: boundaries },
  });
  const metrics = createMetrics();
  const ours = metrics.histogram('millrace_run_seconds', 'Duration "of" runs', { unit: 's', boundaries });
  for (const [value, attributes] of values) {
    if (value >= 0) theirs.record(value, attributes);
    ours.record(value, attributes);
  }
  const serializer = new PrometheusSerializer(undefined, false, undefined, true, true);
  const expected = serializer.serialize((await reader.collect()).resourceMetrics);
  expect(sorted(await metrics.prometheusText())).toEqual(sorted(expected));
  await Promise.all([metrics.close(), provider.shutdown()]);
});

test('a histogram without values is not exposed', async () => {
  const metrics = createMetrics();
  metrics.histogram('millrace_run_seconds', 'Duration', { unit: 's', boundaries });
  expect(await metrics.prometheusText()).not.toContain('millrace_run_seconds');
  await metrics.close();
});

test('two histograms of one name are one', async () => {
  const metrics = createMetrics();
  for (const value of [0.5, 2])
    metrics.histogram('millrace_run_seconds', 'Duration', { unit: 's', boundaries }).record(value);
  expect(await metrics.prometheusText()).toContain('millrace_run_seconds_count 2');
  await metrics.close();
});

test('cumulative collections count from the start, with minimum and maximum', async () => {
  const histogram = new RunningHistogram('millrace_run_seconds', 'Duration', { unit: 's', boundaries });
  const producer = new HistogramProducer(() => [histogram], AggregationTemporality.CUMULATIVE);
  histogram.record(0.5);
  const first = await pointsOf(producer);
  histogram.record(3);
  const [point] = await pointsOf(producer);
  expect(point?.value).toEqual({
    buckets: { boundaries, counts: [0, 0, 1, 1] },
    count: 2,
    sum: 3.5,
    min: 0.5,
    max: 3,
  });
  expect(point?.startTime).toEqual(first[0]?.startTime);
});

test('delta collections count since the one before, and leave out what was not recorded since', async () => {
  const histogram = new RunningHistogram('millrace_run_seconds', 'Duration', { unit: 's', boundaries });
  const producer = new HistogramProducer(() => [histogram], AggregationTemporality.DELTA);
  histogram.record(0.5, { lane: 'a' });
  histogram.record(0.5, { lane: 'b' });
  const first = await pointsOf(producer);
  expect(first.map(({ attributes, value }) => [attributes, value.count, value.sum])).toEqual([
    [{ lane: 'a' }, 1, 0.5],
    [{ lane: 'b' }, 1, 0.5],
  ]);
  histogram.record(0.05, { lane: 'b' });
  const [point, ...others] = await pointsOf(producer);
  expect(others).toEqual([]);
  expect(point?.attributes).toEqual({ lane: 'b' });
  expect(point?.value.buckets.counts).toEqual([0, 1, 0, 0]);
  expect(point?.value.sum).toBeCloseTo(0.05);
  expect(point?.startTime).toEqual(first[1]?.endTime);
});

async function pointsOf(producer: HistogramProducer): Promise<readonly DataPoint<HistogramValue>[]> {
  const { resourceMetrics } = await producer.collect();
  const [metric] = resourceMetrics.scopeMetrics.flatMap(({ metrics }) => metrics);
  return (metric?.dataPoints ?? []) as DataPoint<HistogramValue>[];
}

function sorted(text: string): string[] {
  return text.split('\n').sort();
}
