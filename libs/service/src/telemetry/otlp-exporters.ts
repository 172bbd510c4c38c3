import { createRequire } from 'node:module';
import type { PushMetricExporter } from '@opentelemetry/sdk-metrics';
import type { SpanExporter } from '@opentelemetry/sdk-trace';
import type { Environment } from '../settings/setting-text';

type Exporters<Name extends string, Exporter> = Readonly<
  Record<string, () => Readonly<Record<Name, new () => Exporter>>>
>;

/** Packages are loaded only on request: a process needs at most one of each kind, and most need none. */
const load = createRequire(__filename);

const SPAN_EXPORTERS: Exporters<'OTLPTraceExporter', SpanExporter> = {
  'http/protobuf': () => load('@opentelemetry/exporter-trace-otlp-proto'),
  'http/json': () => load('@opentelemetry/exporter-trace-otlp-http'),
  grpc: () => load('@opentelemetry/exporter-trace-otlp-grpc'),
};

const METRIC_EXPORTERS: Exporters<'OTLPMetricExporter', PushMetricExporter> = {
  'http/protobuf': () => load('@opentelemetry/exporter-metrics-otlp-proto'),
  'http/json': () => load('@opentelemetry/exporter-metrics-otlp-http'),
  grpc: () => load('@opentelemetry/exporter-metrics-otlp-grpc'),
};

/** Creates the OTLP exporter of spans for the protocol that the environment names; the exporter reads its other variables. */
export function otlpSpanExporter(environment: Environment): SpanExporter {
  const { OTLPTraceExporter } = exporterFor(SPAN_EXPORTERS, 'TRACES', environment);
  return new OTLPTraceExporter();
}

/** As above, for metrics. */
export function otlpMetricExporter(environment: Environment): PushMetricExporter {
  const { OTLPMetricExporter } = exporterFor(METRIC_EXPORTERS, 'METRICS', environment);
  return new OTLPMetricExporter();
}

function exporterFor<Name extends string, Exporter>(
  exporters: Exporters<Name, Exporter>,
  signal: 'TRACES' | 'METRICS',
  environment: Environment,
): Readonly<Record<Name, new () => Exporter>> {
  const own = `OTEL_EXPORTER_OTLP_${signal}_PROTOCOL`;
  const name = environment[own] ? own : 'OTEL_EXPORTER_OTLP_PROTOCOL';
  const protocol = (environment[name] || 'http/protobuf').trim();
  const found = Object.hasOwn(exporters, protocol) ? exporters[protocol] : undefined;
  if (found === undefined) {
    throw new Error(`${name} can be ${Object.keys(exporters).join(', ')}, not "${protocol}"`);
  }
  return found();
}
