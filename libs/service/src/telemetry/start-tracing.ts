import { AmqplibInstrumentation } from '@opentelemetry/instrumentation-amqplib';
import { ExpressInstrumentation, ExpressLayerType } from '@opentelemetry/instrumentation-express';
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
import { IORedisInstrumentation } from '@opentelemetry/instrumentation-ioredis';
import { PgInstrumentation } from '@opentelemetry/instrumentation-pg';
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';
import { NodeSDK } from '@opentelemetry/sdk-node';
import {
  BatchSpanProcessor,
  ConsoleSpanExporter,
  RandomIdGenerator,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace';
import type { IdGenerator, SpanProcessor } from '@opentelemetry/sdk-trace';
import type { Environment } from '../settings/setting-text';
import { HiddenAddresses } from './hidden-addresses';
import { otlpSpanExporter } from './otlp-exporters';
import { ParentsFirstExporter } from './parents-first-exporter';
import { serviceResource } from './service-resource';
import { StartedSpans } from './started-spans';
import type { Telemetry, TelemetryOptions } from './telemetry';
import { takeGivenSpanId } from './trace-context';
import { TraceFileExporter } from './trace-file-exporter';

const quietPaths = new Set(['/healthz', '/readyz', '/metrics', '/health', '/health_check']);

/** Registers a tracer provider and the instrumentations for this process. Loaded by `startTelemetry` only. */
export function startTracing(exporters: readonly string[], options: TelemetryOptions): Telemetry {
  const started = new StartedSpans();
  const spanProcessors = [
    new HiddenAddresses(),
    started,
    ...exporters.map((name) => spanProcessor(name, options, started)),
  ];
  if (options.extraSpanExporter !== undefined)
    spanProcessors.push(new SimpleSpanProcessor({ exporter: options.extraSpanExporter }));
  // Traces only; the environment configures the sampler, the span limits, the propagators and the log of the SDK.
  const sdk = new NodeSDK({
    resource: serviceResource(options),
    autoDetectResources: false,
    spanProcessors,
    idGenerator: idGenerator(),
    metricReaders: [],
    logRecordProcessors: [],
  });
  sdk.start();
  instrument();
  let closing: Promise<void> | undefined;
  return {
    enabled: true,
    keepStartedSpans: (store) => started.keepIn(store),
    close: () => (closing ??= sdk.shutdown()),
  };
}

/** Ids are random, except those of `withSpanId`. */
function idGenerator(): IdGenerator {
  const random = new RandomIdGenerator();
  return {
    generateTraceId: () => random.generateTraceId(),
    generateSpanId: () => takeGivenSpanId() ?? random.generateSpanId(),
  };
}

function spanProcessor(
  name: string,
  { environment, serviceName }: TelemetryOptions,
  started: StartedSpans,
): SpanProcessor {
  if (name === 'otlp') {
    const exporter = new ParentsFirstExporter(otlpSpanExporter(environment), started);
    return new BatchSpanProcessor({ exporter, ...batchSettings(environment) });
  }
  if (name === 'console') return new SimpleSpanProcessor({ exporter: new ConsoleSpanExporter() });
  if (name !== 'file')
    throw new Error(`OTEL_TRACES_EXPORTER can be otlp, console, file and none, not "${name}"`);
  const path = environment['MILLRACE_TRACE_FILE'] ?? '';
  if (path === '') throw new Error('OTEL_TRACES_EXPORTER=file needs MILLRACE_TRACE_FILE');
  // A short delay: few appends, and few lost spans when the process is killed.
  return new BatchSpanProcessor({
    exporter: new ParentsFirstExporter(new TraceFileExporter(path, serviceName), started),
    scheduledDelayMillis: 200,
  });
}

/** The SDK reads these only for exporters that it creates itself. */
const BATCH_SETTINGS = {
  maxQueueSize: 'OTEL_BSP_MAX_QUEUE_SIZE',
  scheduledDelayMillis: 'OTEL_BSP_SCHEDULE_DELAY',
  exportTimeoutMillis: 'OTEL_BSP_EXPORT_TIMEOUT',
  maxExportBatchSize: 'OTEL_BSP_MAX_EXPORT_BATCH_SIZE',
};

function batchSettings(environment: Environment): Record<string, number> {
  const given = Object.entries(BATCH_SETTINGS).map(([option, name]) => [option, Number(environment[name])]);
  return Object.fromEntries(given.filter(([, value]) => Number(value) > 0));
}

/** Each instrumentation registers itself in its constructor and hooks into the module loader. */
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
