import { appendFile } from 'node:fs/promises';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import { hrTimeMilliseconds } from './hr-time';

const EXPORT_SUCCESS = 0;
const EXPORT_FAILED = 1;

/**
 * Appends each span to a file as one JSON line, so that a trace can be followed without a collector. Processes can
 * share the file: a line is written with one append.
 */
export class TraceFileExporter implements SpanExporter {
  readonly #path: string;
  readonly #serviceName: string;
  #written: Promise<void> = Promise.resolve();

  constructor(path: string, serviceName: string) {
    this.#path = path;
    this.#serviceName = serviceName;
  }

  export(spans: ReadableSpan[], resultCallback: (result: { code: number; error?: Error }) => void): void {
    const lines = spans.map((span) => `${JSON.stringify(spanLine(span, this.#serviceName))}\n`).join('');
    this.#written = this.#written
      .then(() => appendFile(this.#path, lines))
      .then(
        () => resultCallback({ code: EXPORT_SUCCESS }),
        (error: unknown) => resultCallback({ code: EXPORT_FAILED, error: error as Error }),
      );
  }

  forceFlush(): Promise<void> {
    return this.#written;
  }

  shutdown(): Promise<void> {
    return this.#written;
  }
}

function spanLine(span: ReadableSpan, serviceName: string): object {
  const { traceId, spanId } = span.spanContext();
  return {
    service: serviceName,
    name: span.name,
    kind: ['internal', 'server', 'client', 'producer', 'consumer'][span.kind],
    traceId,
    spanId,
    parentSpanId: span.parentSpanContext?.spanId ?? null,
    startUnixMilliseconds: hrTimeMilliseconds(span.startTime),
    durationMilliseconds: hrTimeMilliseconds(span.duration),
    attributes: span.attributes,
    links: span.links.map(({ context }) => ({ traceId: context.traceId, spanId: context.spanId })),
    status: span.status,
    scope: span.instrumentationScope.name,
  };
}
