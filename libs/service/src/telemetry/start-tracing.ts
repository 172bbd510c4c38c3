import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { AmqplibInstrumentation } from '@opentelemetry/instrumentation-amqplib';
import { ExpressInstrumentation, ExpressLayerType } from '@opentelemetry/instrumentation-express';
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
import { IORedisInstrumentation } from '@opentelemetry/instrumentation-ioredis';
import { PgInstrumentation } from '@opentelemetry/instrumentation-pg';
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';
import { node, resources, tracing } from '@opentelemetry/sdk-node';
import type { Telemetry, TelemetryOptions } from './start-telemetry';
import { TraceFileExporter } from './trace-file-exporter';

const quietPaths = new Set(['/healthz', '/readyz', '/metrics', '/health', '/health_check']);

/** Registers a tracer provider for this process and hooks the instrumentations in. Loaded by `startTelemetry` only. */
export function startTracing(exporters: readonly string[], options: TelemetryOptions): Telemetry {
  const resource = resources.defaultResource().merge(
    resources.resourceFromAttributes({
      'service.name': options.environment['OTEL_SERVICE_NAME'] ?? options.serviceName,
      'service.version': options.version,
    }),
  );
  const processors = exporters.map((name) => spanProcessor(name, options));
  if (options.extraSpanExporter !== undefined)
    processors.push(new tracing.SimpleSpanProcessor(options.extraSpanExporter));
  const provider = new node.NodeTracerProvider({ resource, spanProcessors: processors });
  provider.register();
  instrument();
  let closing: Promise<void> | undefined;
  return { enabled: true, close: () => (closing ??= provider.shutdown()) };
}

function spanProcessor(name: string, { environment, serviceName }: TelemetryOptions): tracing.SpanProcessor {
  if (name === 'otlp') return new tracing.BatchSpanProcessor(new OTLPTraceExporter());
  if (name === 'console') return new tracing.SimpleSpanProcessor(new tracing.ConsoleSpanExporter());
  if (name !== 'file')
    throw new Error(`OTEL_TRACES_EXPORTER knows otlp, console, file and none, not "${name}"`);
  const path = environment['MILLRACE_TRACE_FILE'] ?? '';
  if (path === '') throw new Error('OTEL_TRACES_EXPORTER=file needs MILLRACE_TRACE_FILE');
  // A short delay keeps appends rare and the spans that a killed process takes with it few.
  return new tracing.BatchSpanProcessor(new TraceFileExporter(path, serviceName), {
    scheduledDelayMillis: 200,
  });
}

/** Each instrumentation hooks in as it is constructed, and follows the module loader from then on. */
function instrument(): void {
  new HttpInstrumentation({
    ignoreIncomingRequestHook: ({ url }) => quietPaths.has(url?.split('?', 1)[0] ?? ''),
  });
  new ExpressInstrumentation({ ignoreLayersType: [ExpressLayerType.MIDDLEWARE] });
  new AmqplibInstrumentation();
  new PgInstrumentation({ requireParentSpan: true });
  new IORedisInstrumentation({ requireParentSpan: true });
  new UndiciInstrumentation();
}
