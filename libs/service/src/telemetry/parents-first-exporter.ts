import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import type { StartedSpans } from './started-spans';

type Done = Parameters<SpanExporter['export']>[1];

/** Exports spans after what is above them is exported or kept. */
export class ParentsFirstExporter implements SpanExporter {
  readonly #exporter: SpanExporter;
  readonly #started: StartedSpans;

  constructor(exporter: SpanExporter, started: StartedSpans) {
    this.#exporter = exporter;
    this.#started = started;
  }

  export(spans: ReadableSpan[], done: Done): void {
    void this.#started.beforeExport(spans).then(() =>
      this.#exporter.export(spans, (result) => {
        // Spans of a failed export are not exported again.
        void this.#started.afterExport(spans).then(() => done(result));
      }),
    );
  }

  async forceFlush(): Promise<void> {
    await this.#exporter.forceFlush?.();
  }

  shutdown(): Promise<void> {
    return this.#exporter.shutdown();
  }
}
