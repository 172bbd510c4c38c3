import { ROOT_CONTEXT, SpanStatusCode, trace } from '@opentelemetry/api';
import type { StartedSpan } from './started-spans';
import { spanContextOf, withSpanId } from './trace-context';

/** A span that another process has begun and cannot end. */
export interface UnendedSpan extends StartedSpan {
  /** Names the trace; and the span above, where `parentSpanId` is null. */
  readonly traceparent: string;
  /** Milliseconds since the epoch. */
  readonly endedAt: number;
  readonly errorType: string;
  readonly message: string;
}

/** Records a span that failed, under the id that it began with; nothing when its trace is not recorded. */
export function recordUnendedSpan(span: UnendedSpan): void {
  const given = spanContextOf(span.traceparent);
  if (given === null) return;
  const parent = trace.setSpanContext(ROOT_CONTEXT, { ...given, spanId: span.parentSpanId ?? given.spanId });
  const { name, kind, startedAt, attributes } = span;
  const options = { kind, attributes: { ...attributes, 'error.type': span.errorType } };
  // A number can be read as the time since the start of the process.
  const recorded = withSpanId(span.spanId, () =>
    trace.getTracer('millrace').startSpan(name, { ...options, startTime: new Date(startedAt) }, parent),
  );
  recorded.setStatus({ code: SpanStatusCode.ERROR, message: span.message });
  recorded.end(new Date(Math.max(startedAt, span.endedAt)));
}
