import { ValueType } from '@opentelemetry/api';
import { emptyResource } from '@opentelemetry/resources';
import { AggregationTemporality, DataPointType } from '@opentelemetry/sdk-metrics';
import type {
  CollectionResult,
  DataPoint,
  Histogram as HistogramValue,
  HistogramMetricData,
  MetricProducer,
} from '@opentelemetry/sdk-metrics';
import type { AttributeSet, Distribution, RunningHistogram } from './running-metrics';
import { machineTime } from '../time/machine-time';

interface Reported {
  readonly at: number;
  readonly counts: Float64Array;
  readonly sum: number;
}

/**
 * Returns the histograms of a process to one reader, which adds them to the metrics of OpenTelemetry's instruments. With
 * delta temporality, each collection returns what was recorded since the one before, without minimum and maximum.
 */
export class HistogramProducer implements MetricProducer {
  readonly #histograms: () => Iterable<RunningHistogram>;
  readonly #temporality: AggregationTemporality;
  /** Only with delta temporality. */
  readonly #reported = new WeakMap<Distribution, Reported>();

  constructor(histograms: () => Iterable<RunningHistogram>, temporality: AggregationTemporality) {
    this.#histograms = histograms;
    this.#temporality = temporality;
  }

  collect(): Promise<CollectionResult> {
    const now = machineTime();
    const metrics = [...this.#histograms()]
      .map((histogram) => this.#dataOf(histogram, now))
      .filter(({ dataPoints }) => dataPoints.length > 0);
    const scopeMetrics = [{ scope: { name: 'millrace' }, metrics }];
    return Promise.resolve({ resourceMetrics: { resource: emptyResource(), scopeMetrics }, errors: [] });
  }

  #dataOf(histogram: RunningHistogram, now: number): HistogramMetricData {
    const { name, description, unit, boundaries } = histogram;
    const isDelta = this.#temporality === AggregationTemporality.DELTA;
    return {
      descriptor: { name, description, unit, valueType: ValueType.DOUBLE },
      aggregationTemporality: this.#temporality,
      dataPointType: DataPointType.HISTOGRAM,
      dataPoints: histogram
        .read()
        .map((set) => (isDelta ? this.#sinceLast(set, boundaries, now) : sinceStart(set, boundaries, now)))
        .filter(({ value }) => value.count > 0),
    };
  }

  #sinceLast(
    { attributes, state }: AttributeSet<Distribution>,
    boundaries: readonly number[],
    now: number,
  ): DataPoint<HistogramValue> {
    const last = this.#reported.get(state);
    this.#reported.set(state, { at: now, counts: state.counts.slice(), sum: state.sum });
    const counts = Array.from(state.counts, (count, bucket) => count - (last?.counts[bucket] ?? 0));
    return {
      attributes,
      startTime: timeOf(last?.at ?? state.startedAt),
      endTime: timeOf(now),
      value: {
        buckets: { boundaries: [...boundaries], counts },
        count: counts.reduce((sum, count) => sum + count, 0),
        sum: state.sum - (last?.sum ?? 0),
      },
    };
  }
}

function sinceStart(
  { attributes, state }: AttributeSet<Distribution>,
  boundaries: readonly number[],
  now: number,
): DataPoint<HistogramValue> {
  const { counts, count, sum, minimum, maximum, startedAt } = state;
  return {
    attributes,
    startTime: timeOf(startedAt),
    endTime: timeOf(now),
    value: {
      buckets: { boundaries: [...boundaries], counts: [...counts] },
      count,
      sum,
      min: minimum,
      max: maximum,
    },
  };
}

function timeOf(milliseconds: number): [seconds: number, nanoseconds: number] {
  const seconds = Math.floor(milliseconds / 1_000);
  return [seconds, Math.round((milliseconds - seconds * 1_000) * 1_000_000)];
}
