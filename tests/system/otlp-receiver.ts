import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { until } from '@millrace/service/testing';

export interface ReceivedSpan {
  readonly service: string;
  readonly name: string;
  /** 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly milliseconds: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly links: readonly { readonly traceId: string }[];
  readonly failed: boolean;
  readonly message: string;
  readonly resource: Readonly<Record<string, unknown>>;
}

export interface OtlpReceiver {
  readonly url: string;
  /** The bodies of all requests, as they arrived. */
  readonly bodies: readonly string[];
  /** What arrived so far, in any order. */
  readonly spans: readonly ReceivedSpan[];
  /** The names of the services whose metrics arrived, with the names of the metrics. */
  readonly metrics: ReadonlyMap<string, ReadonlySet<string>>;
  spansOf(traceId: string): readonly ReceivedSpan[];
  /** Resolves to the spans of the trace when they include all of these names. */
  whenTraced(traceId: string, names: readonly (string | RegExp)[]): Promise<readonly ReceivedSpan[]>;
  close(): Promise<void>;
}

const WITHIN_MILLISECONDS = 120_000;

/** The environment of services that send their telemetry to the receiver, as JSON and soon. */
export function telemetryEnvironment(url: string): Readonly<Record<string, string>> {
  return {
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_BSP_SCHEDULE_DELAY: '100',
    OTEL_METRICS_EXPORTER: 'otlp',
    OTEL_METRIC_EXPORT_INTERVAL: '500',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
  };
}

/** Starts a receiver of OTLP over HTTP that decodes JSON. */
export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const bodies: string[] = [];
  const spans: ReceivedSpan[] = [];
  const metrics = new Map<string, Set<string>>();
  const server = createServer((request, response) => {
    void text(request).then((received) => {
      bodies.push(received);
      const body = JSON.parse(received) as Json;
      if (request.url === '/v1/traces') spans.push(...readSpans(body));
      else if (request.url === '/v1/metrics') readMetrics(body, metrics);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const spansOf = (traceId: string) => spans.filter((span) => span.traceId === traceId);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bodies,
    spans,
    metrics,
    spansOf,
    async whenTraced(traceId, names) {
      const missing = () =>
        names.filter((name) => !spansOf(traceId).some((span) => matches(span.name, name)));
      await until(() => missing().length === 0, 'all spans of a trace', WITHIN_MILLISECONDS).catch(() => {
        const found = spansOf(traceId).map(({ name }) => name);
        throw new Error(`The trace lacks ${missing().join(', ')}; it has ${found.join(', ')}.`);
      });
      return spansOf(traceId);
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/**
 * Returns the tree of a trace as indented lines, siblings by name. The root is the span whose parent is not in the trace.
 */
export function treeOf(spans: readonly ReceivedSpan[], isShown: (span: ReceivedSpan) => boolean): string[] {
  const ids = new Set(spans.map(({ spanId }) => spanId));
  const children = (parent: ReceivedSpan | null): ReceivedSpan[] =>
    spans
      .filter(({ parentSpanId }) =>
        parent === null ? !ids.has(parentSpanId) : parentSpanId === parent.spanId,
      )
      .sort((one, other) => one.name.localeCompare(other.name));
  const lines = (parent: ReceivedSpan | null, depth: number): string[] =>
    children(parent).flatMap((span) =>
      isShown(span) ? [`${'  '.repeat(depth)}${span.name}`, ...lines(span, depth + 1)] : lines(span, depth),
    );
  return lines(null, 0);
}

function matches(name: string, wanted: string | RegExp): boolean {
  return typeof wanted === 'string' ? name === wanted : wanted.test(name);
}

type Json = Readonly<Record<string, never>> & {
  readonly resourceSpans?: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
  readonly resourceMetrics?: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeMetrics: readonly { readonly metrics: readonly { readonly name: string }[] }[];
  }[];
};

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

interface OtlpSpan {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes?: readonly Attribute[];
  readonly links?: readonly { readonly traceId: string }[];
  readonly status?: { readonly code?: number; readonly message?: string };
}

function readSpans({ resourceSpans = [] }: Json): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const described = attributesOf(resource.attributes);
    return scopeSpans
      .flatMap(({ spans }) => spans)
      .map((span) => ({
        service: String(described['service.name']),
        name: span.name,
        kind: span.kind,
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId ?? '',
        startedAt: Number(span.startTimeUnixNano) / 1e6,
        milliseconds: Number(BigInt(span.endTimeUnixNano) - BigInt(span.startTimeUnixNano)) / 1e6,
        attributes: attributesOf(span.attributes ?? []),
        links: span.links ?? [],
        failed: span.status?.code === 2,
        message: span.status?.message ?? '',
        resource: described,
      }));
  });
}

function readMetrics({ resourceMetrics = [] }: Json, found: Map<string, Set<string>>): void {
  for (const { resource, scopeMetrics } of resourceMetrics) {
    const service = String(attributesOf(resource.attributes)['service.name']);
    const names = found.get(service) ?? new Set();
    found.set(service, names);
    for (const { name } of scopeMetrics.flatMap(({ metrics }) => metrics)) names.add(name);
  }
}

function attributesOf(list: readonly Attribute[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(list.map(({ key, value }) => [key, valueOf(value)]));
}

/** Whole numbers are texts in JSON, since they can be larger than a number of JavaScript. */
function valueOf(value: Readonly<Record<string, unknown>>): unknown {
  if ('intValue' in value) return Number(value['intValue']);
  if ('arrayValue' in value) {
    const { values = [] } = value['arrayValue'] as { readonly values?: readonly Attribute['value'][] };
    return values.map(valueOf);
  }
  return Object.values(value)[0];
}
