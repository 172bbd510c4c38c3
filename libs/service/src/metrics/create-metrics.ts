import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import {
  AggregationTemporality,
  InstrumentType,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import type { IMetricReader } from '@opentelemetry/sdk-metrics';
import type { ObservableResult } from '@opentelemetry/api';
import { otlpMetricExporter } from '../telemetry/otlp-exporters';
import { serviceResource } from '../telemetry/service-resource';
import type { TelemetryIdentity } from '../telemetry/telemetry';
import type { Environment } from '../settings/setting-text';
import { HistogramProducer } from './histogram-producer';
import type { Metrics, MetricValues, MetricAttributes } from './metrics';
import { RunningHistogram, RunningTotals } from './running-metrics';

/**
 * Creates the metrics of this process: always on, read as Prometheus text. With OTEL_METRICS_EXPORTER=otlp in the
 * environment they are also pushed to the collector that OTEL_EXPORTER_OTLP_ENDPOINT names.
 */
export function createMetrics(identity?: TelemetryIdentity): Metrics {
  const histograms = new Map<string, RunningHistogram>();
  const producerOf = (temporality: AggregationTemporality): HistogramProducer =>
    new HistogramProducer(() => histograms.values(), temporality);
  const prometheus = new ReadMetrics({
    preventServerStart: true,
    metricProducers: [producerOf(AggregationTemporality.CUMULATIVE)],
  });
  const readers: IMetricReader[] = [prometheus];
  const isPushed = identity !== undefined && pushes(identity.environment);
  if (isPushed) readers.push(pushReader(identity.environment, producerOf));
  const provider = new MeterProvider({ readers, ...(isPushed && { resource: serviceResource(identity) }) });
  const meter = provider.getMeter('millrace');
  const serializer = new PrometheusSerializer(undefined, false, undefined, true, true);
  let closing: Promise<void> | undefined;

  return {
    counter: (name, description, { labels = {} } = {}) => {
      const totals = new RunningTotals();
      for (const attributes of labelCombinations(labels)) totals.add(0, attributes);
      meter
        .createObservableCounter(name, { description })
        .addCallback((result) => observe(result, totals.read()));
      return totals;
    },
    histogram: (name, description, options) => {
      const histogram = histograms.get(name) ?? new RunningHistogram(name, description, options);
      histograms.set(name, histogram);
      return histogram;
    },
    gauge: (name, description, read) => {
      meter.createObservableGauge(name, { description }).addCallback((result) => observe(result, read()));
    },
    total: (name, description, read) => {
      meter.createObservableCounter(name, { description }).addCallback((result) => observe(result, read()));
    },
    prometheusText: async () => {
      const { resourceMetrics } = await prometheus.collect({ timeoutMillis: 5000 });
      return serializer.serialize(resourceMetrics);
    },
    close: () => (closing ??= provider.shutdown()),
  };
}

function pushes(environment: Environment): boolean {
  if (environment['OTEL_SDK_DISABLED']?.toLowerCase() === 'true') return false;
  return (environment['OTEL_METRICS_EXPORTER'] ?? '').split(',').some((name) => name.trim() === 'otlp');
}

const DEFAULT_INTERVAL_MILLISECONDS = 60_000;
const DEFAULT_TIMEOUT_MILLISECONDS = 30_000;

function pushReader(
  environment: Environment,
  producerOf: (temporality: AggregationTemporality) => HistogramProducer,
): IMetricReader {
  const interval = Number(environment['OTEL_METRIC_EXPORT_INTERVAL']) || DEFAULT_INTERVAL_MILLISECONDS;
  const timeout = Number(environment['OTEL_METRIC_EXPORT_TIMEOUT']) || DEFAULT_TIMEOUT_MILLISECONDS;
  const exporter = otlpMetricExporter(environment);
  // OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE.
  const temporality =
    exporter.selectAggregationTemporality?.(InstrumentType.HISTOGRAM) ?? AggregationTemporality.CUMULATIVE;
  return new PushedMetrics({
    exporter,
    metricProducers: [producerOf(temporality)],
    exportIntervalMillis: interval,
    exportTimeoutMillis: Math.min(interval, timeout),
  });
}

class ReadMetrics extends PrometheusExporter {
  override selectAggregationTemporality(type: InstrumentType): AggregationTemporality {
    return temporalityOf(type) ?? super.selectAggregationTemporality(type);
  }
}

class PushedMetrics extends PeriodicExportingMetricReader {
  override selectAggregationTemporality(type: InstrumentType): AggregationTemporality {
    return temporalityOf(type) ?? super.selectAggregationTemporality(type);
  }
}

/** A cumulative gauge would keep the last value of labels that are not reported any more, such as those of a deleted pool. */
function temporalityOf(type: InstrumentType): AggregationTemporality | null {
  return type === InstrumentType.OBSERVABLE_GAUGE ? AggregationTemporality.DELTA : null;
}

function observe(result: ObservableResult, values: MetricValues): void {
  if (typeof values === 'number') result.observe(values);
  else for (const [value, attributes] of values) result.observe(value, attributes);
}

/** Returns each combination of the values of labels; one without labels for no labels. */
function labelCombinations(labels: Readonly<Record<string, readonly string[]>>): MetricAttributes[] {
  return Object.entries(labels).reduce<MetricAttributes[]>(
    (combinations, [label, values]) =>
      combinations.flatMap((attributes) => values.map((value) => ({ ...attributes, [label]: value }))),
    [{}],
  );
}
