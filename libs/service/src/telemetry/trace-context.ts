import { context, isSpanContextValid, propagation, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import type { SpanContext } from '@opentelemetry/api';

const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/;

/** Writes the active trace to headers (traceparent, tracestate); writes nothing without an active trace. */
export function injectTraceContext(headers: Record<string, unknown>): void {
  propagation.inject(context.active(), headers);
}

/** Whether messages carry traces in this process. */
export function propagatesTraces(): boolean {
  return propagation.fields().length > 0;
}

/** Names the span of the current request after its route, as Express's instrumentation would. */
export function nameActiveRoute(method: string, route: string): void {
  const span = trace.getActiveSpan();
  if (span === undefined) return;
  span.updateName(`${method} ${route}`);
  span.setAttribute('http.route', route);
}

/** Returns the W3C `traceparent` of the active span, whatever the propagators are; null without one. */
export function activeTraceparent(): string | null {
  const active = trace.getActiveSpan()?.spanContext();
  return active === undefined ? null : traceparentOf(active);
}

/** Returns the `traceparent` of the active span if it is recorded; null otherwise. */
export function recordedTraceparent(): string | null {
  const span = trace.getActiveSpan();
  return span?.isRecording() === true ? traceparentOf(span.spanContext()) : null;
}

/** Runs `work` in the trace of this `traceparent`, so that its spans belong to it; in the active one when it is null. */
export function inTraceOf<T>(traceparent: string | null, work: () => T): T {
  const given = traceparent === null ? null : spanContextOf(traceparent);
  return given === null ? work() : context.with(trace.setSpanContext(context.active(), given), work);
}

/**
 * Runs work that a message causes in the trace of its headers, and in no trace when it has none: the work does not
 * belong to the trace in which the bus happens to deliver the message. Free without tracing.
 */
export function inTraceOfMessage<T>(headers: Readonly<Record<string, unknown>>, work: () => T): T {
  if (!propagatesTraces()) return work();
  return context.with(propagation.extract(ROOT_CONTEXT, headers), work);
}

let givenSpanId: string | null = null;

/** Calls `start`, which starts one span: the span has this id (16 hexadecimal digits) in place of a random one. */
export function withSpanId<T>(spanId: string, start: () => T): T {
  givenSpanId = spanId;
  try {
    return start();
  } finally {
    givenSpanId = null;
  }
}

/** Returns the id for the span that starts now, once; null when it gets a random one. */
export function takeGivenSpanId(): string | null {
  const taken = givenSpanId;
  givenSpanId = null;
  return taken;
}

/** Reads a W3C `traceparent`; null when it is none. */
export function spanContextOf(traceparent: string): SpanContext | null {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(traceparent) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return null;
  const found = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
  return isSpanContextValid(found) ? found : null;
}

function traceparentOf({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${(traceFlags & 1).toString(16).padStart(2, '0')}`;
}
