import { createRequire } from 'node:module';
import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import type { IMetricReader, PushMetricExporter } from '@opentelemetry/sdk-metrics';
import type { Environment } from '../settings/setting-text';
import type { Metrics } from './metrics';

/**
 * Creates the metrics of this process: always on, read as Prometheus text. With OTEL_METRICS_EXPORTER=otlp in the
 * environment they are also pushed to the collector that OTEL_EXPORTER_OTLP_ENDPOINT names.
 */
export function createMetrics({ environment = {} }: { readonly environment?: Environment } = {}): Metrics {
  const prometheus = new PrometheusExporter({ preventServerStart: true });
  const readers: IMetricReader[] = [prometheus];
  if (environment['OTEL_METRICS_EXPORTER'] === 'otlp') readers.push(pushReader());
  const provider = new MeterProvider({ readers });
  const meter = provider.getMeter('millrace');
  const serializer = new PrometheusSerializer(undefined, false, undefined, true, true);
  let closing: Promise<void> | undefined;

  return {
    counter: (name, description) => meter.createCounter(name, { description }),
    histogram: (name, description, { unit, boundaries }) =>
      meter.createHistogram(name, {
        description,
        unit,
        advice: { explicitBucketBoundaries: [...boundaries] },
      }),
    gauge: (name, description, read) => {
      meter.createObservableGauge(name, { description }).addCallback((result) => {
        const values = read();
        if (typeof values === 'number') result.observe(values);
        else for (const [value, attributes] of values) result.observe(value, attributes);
      });
    },
    prometheusText: async () => {
      const { resourceMetrics } = await prometheus.collect({ timeoutMillis: 5000 });
      return serializer.serialize(resourceMetrics);
    },
    close: () => (closing ??= provider.shutdown()),
  };
}

function pushReader(): IMetricReader {
  // Loaded only on request: most processes are scraped and never need it.
  const { OTLPMetricExporter } = createRequire(__filename)('@opentelemetry/exporter-metrics-otlp-http') as {
    OTLPMetricExporter: new () => PushMetricExporter;
  };
  return new PeriodicExportingMetricReader({ exporter: new OTLPMetricExporter() });
}
