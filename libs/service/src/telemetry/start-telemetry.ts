import type { TelemetryOptions } from './telemetry';
import type { Telemetry } from './telemetry';
import type { Environment } from '../settings/setting-text';

/**
 * Starts tracing if the environment enables it: OTEL_EXPORTER_OTLP_ENDPOINT, or OTEL_TRACES_EXPORTER with any of
 * `otlp`, `console` and `file` (JSON lines to MILLRACE_TRACE_FILE), comma-separated; OTEL_SDK_DISABLED=true takes
 * precedence. The other OTEL_* variables have their standard meaning: docs/operate/tracing.md. Must be called before express, pg, amqplib and ioredis are loaded, because they are instrumented at load
 * time. When not enabled, it loads nothing and costs nothing.
 */
export async function startTelemetry(options: TelemetryOptions): Promise<Telemetry> {
  const exporters = wantedExporters(options.environment);
  if (exporters.length === 0 && options.extraSpanExporter === undefined)
    return { enabled: false, keepStartedSpans: () => undefined, close: () => Promise.resolve() };
  // The SDK and its instrumentations take a quarter of a second and 45 packages, so they are loaded only here.
  const { startTracing } = await import('./start-tracing');
  return startTracing(exporters, options);
}

function wantedExporters(environment: Environment): string[] {
  if (environment['OTEL_SDK_DISABLED']?.toLowerCase() === 'true') return [];
  const named = (environment['OTEL_TRACES_EXPORTER'] ?? '').split(',').map((name) => name.trim());
  const wanted = named.filter((name) => name !== '');
  if (wanted.includes('none')) return [];
  const endpoint =
    environment['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] ?? environment['OTEL_EXPORTER_OTLP_ENDPOINT'] ?? '';
  return wanted.length === 0 && endpoint !== '' ? ['otlp'] : wanted;
}
