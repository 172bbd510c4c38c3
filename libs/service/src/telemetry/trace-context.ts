import { context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Attributes, Context } from '@opentelemetry/api';

export type TraceContext = Context;

export interface SpanOptions {
  readonly kind: 'internal' | 'server' | 'client' | 'producer' | 'consumer';
  /** The span this one belongs to; the active one unless given. */
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

/** Writes the active trace into headers (traceparent, tracestate); writes nothing when nothing is traced. */
export function injectTraceContext(headers: Record<string, unknown>): void {
  propagation.inject(context.active(), headers);
}

/** Gives the span of the request in hand the name of its route, as Express's instrumentation does behind it. */
export function nameActiveRoute(method: string, route: string): void {
  const span = trace.getActiveSpan();
  if (span === undefined) return;
  span.updateName(`${method} ${route}`);
  span.setAttribute('http.route', route);
}

/** The trace that headers carry, to be the parent of a span. */
export function extractTraceContext(headers: Readonly<Record<string, unknown>>): TraceContext {
  return propagation.extract(context.active(), headers);
}

/** Does the work inside a span that ends with it and holds its error. Nearly free when nothing is traced. */
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
