import { context, SpanStatusCode } from '@opentelemetry/api';
import type { Context, Span } from '@opentelemetry/api';
import type { RunObserver } from '@millrace/engine';
import type { CacheUse, RunEnd, RunFailure } from '@millrace/messages';
import { OpenSpans } from './open-spans';
import { SpanObserver } from './span-observer';

export interface RunTraceParts {
  readonly span: Span;
  /** The context in which the span is the active one. */
  readonly inside: Context;
  /** Resolves when the span has its name. */
  readonly named: Promise<void>;
  readonly capturesContent: boolean;
}

/** What the span of an attempt shows of its outcome. */
interface TracedOutcome {
  readonly status: RunEnd;
  readonly failure: RunFailure | null;
  readonly cache?: CacheUse;
}

/** The span of one attempt of a run. */
export class RunTrace {
  /** Records the steps of the attempt; absent when the trace is not sampled. */
  readonly observer: RunObserver | undefined;
  readonly #parts: RunTraceParts;
  readonly #spans = new OpenSpans();

  constructor(parts: RunTraceParts) {
    this.#parts = parts;
    const { capturesContent } = parts;
    this.observer = parts.span.isRecording()
      ? new SpanObserver({ spans: this.#spans, capturesContent })
      : undefined;
  }

  within<Value>(work: () => Value): Value {
    return context.with(this.#parts.inside, work);
  }

  /** Ends the span, and those of steps that have not ended. */
  end({ status, failure, cache }: TracedOutcome): void {
    const { span, named } = this.#parts;
    if (!span.isRecording()) return;
    this.#spans.close();
    span.setAttribute('millrace.run.status', status);
    if (cache !== undefined) span.setAttribute('millrace.run.cache', cache);
    if (failure !== null) {
      span.setAttribute('error.type', failure.code);
      if (failure.vertex !== null) span.setAttribute('millrace.run.failed_vertex', failure.vertex.id);
      span.setStatus({ code: SpanStatusCode.ERROR });
    }
    const endedAt = performance.timeOrigin + performance.now();
    void named.then(() => span.end(endedAt));
  }
}
