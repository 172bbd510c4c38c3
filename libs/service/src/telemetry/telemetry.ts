import type { SpanExporter } from '@opentelemetry/sdk-trace';
import type { Environment } from '../settings/setting-text';
import type { StartedSpanStore } from './started-spans';

/** How a process describes itself to receivers of traces and metrics. */
export interface TelemetryIdentity {
  readonly serviceName: string;
  readonly version: string;
  readonly environment: Environment;
}

export interface TelemetryOptions extends TelemetryIdentity {
  /** Receives every span when it ends, regardless of the environment; for tests. */
  readonly extraSpanExporter?: SpanExporter;
}

export interface Telemetry {
  /** False when tracing is not enabled: nothing was loaded. */
  readonly enabled: boolean;
  /**
   * Stores the open spans of an attempt when spans below them are exported. If this process is killed, another one exports them,
   * so that the trace has no gap.
   */
  keepStartedSpans(store: StartedSpanStore): void;
  /** Exports the remaining spans. Idempotent. */
  close(): Promise<void>;
}
