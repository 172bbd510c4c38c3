import { context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Attributes, Context } from '@opentelemetry/api';

export type TraceContext = Context;

export interface SpanOptions {
  readonly kind: 'internal' | 'server' | 'client' | 'producer' | 'consumer';
  /** The parent span; the active one unless given. */
  readonly parent?: TraceContext;
  readonly attributes?: Attributes;
}

const tracer = trace.getTracer('millrace');
const kinds = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
} as const;

/** Writes the active trace to headers (traceparent, tracestate); writes nothing without an active trace. */
export function injectTraceContext(headers: Record<string, unknown>): void {
  propagation.inject(context.active(), headers);
}

/** Names the span of the current request after its route, as Express's instrumentation would. */
export function nameActiveRoute(method: string, route: string): void {
  const span = trace.getActiveSpan();
  if (span === undefined) return;
  span.updateName(`${method} ${route}`);
  span.setAttribute('http.route', route);
}

/** Returns the W3C `traceparent` of the active trace; null without one. */
export function activeTraceparent(): string | null {
  const headers: Record<string, unknown> = {};
  injectTraceContext(headers);
  const { traceparent } = headers;
  return typeof traceparent === 'string' ? traceparent : null;
}

/** Runs `work` in the trace of this `traceparent`, so that its spans belong to it; in the active one when it is null. */
export function inTraceOf<T>(traceparent: string | null, work: () => T): T {
  return traceparent === null ? work() : context.with(extractTraceContext({ traceparent }), work);
}

/** Returns the trace context of headers, to use as the parent of a span. */
export function extractTraceContext(headers: Readonly<Record<string, unknown>>): TraceContext {
  return propagation.extract(context.active(), headers);
}

/** Runs `work` inside a span that ends with it and records its error. Nearly free without tracing. */
export function withSpan<T>(name: string, options: SpanOptions, work: () => Promise<T>): Promise<T> {
  const parent = options.parent ?? context.active();
  const { kind, attributes } = options;
  const settings = { kind: kinds[kind], ...(attributes === undefined ? {} : { attributes }) };
  const span = tracer.startSpan(name, settings, parent);
  if (!span.isRecording()) return options.parent === undefined ? work() : context.with(parent, work);
  return context.with(trace.setSpan(parent, span), async () => {
    try {
      return await work();
    } catch (error) {
      span.recordException(error instanceof Error ? error : String(error));
      span.setStatus({
        code: SpanStatusCode.ERROR,
        message: error instanceof Error ? error.message : String(error),
      });
      throw error;
    } finally {
      span.end();
    }
  });
}
