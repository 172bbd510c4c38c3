import { ROOT_CONTEXT, trace } from '@opentelemetry/api';
import type { Context, Span } from '@opentelemetry/api';
import { TracerProvider, BatchSpanProcessor, InMemorySpanExporter } from '@opentelemetry/sdk-trace';
import { contextOfAttempt } from './attempt-context';
import { ParentsFirstExporter } from './parents-first-exporter';
import { StartedSpans } from './started-spans';
import type { StartedSpan, StartedSpanStore } from './started-spans';

const attempt = { runId: 'run', attempt: 1 };

/** Opens a tracer whose spans are exported by `export`. */
function open(store?: StartedSpanStore) {
  const started = new StartedSpans();
  if (store) started.keepIn(store);
  const memory = new InMemorySpanExporter();
  const batches = new BatchSpanProcessor({
    exporter: new ParentsFirstExporter(memory, started),
    scheduledDelayMillis: 600_000,
  });
  const tracer = new TracerProvider({ spanProcessors: [started, batches] }).getTracer('test');
  const begin = (name: string, inside: Context, attributes = {}): [Span, Context] => {
    const span = tracer.startSpan(name, { attributes }, inside);
    return [span, trace.setSpan(inside, span)];
  };
  return {
    begin,
    exported: () => memory.getFinishedSpans().map(({ name }) => name),
    export: () => batches.forceFlush(),
  };
}

/** Keeps the names in the order of the calls, and the spans of the last one. */
function openStore() {
  const calls: string[][] = [];
  const last: { spans: readonly StartedSpan[] } = { spans: [] };
  const store: StartedSpanStore = {
    async keep(given, spans) {
      expect(given).toEqual(attempt);
      calls.push(spans.map(({ name }) => name));
      last.spans = spans;
    },
  };
  return { store, calls, last };
}

test('spans above exported ones are kept until they are exported', async () => {
  const { store, calls, last } = openStore();
  const tracer = open(store);
  const [run, inRun] = tracer.begin('run', contextOfAttempt(ROOT_CONTEXT, attempt));
  const secret = { 'gen_ai.input.messages': 'a prompt', 'millrace.vertex.id': 'a' };
  const [vertex, inVertex] = tracer.begin('vertex', inRun, secret);
  const [call] = tracer.begin('call', inVertex);
  call.end();
  await tracer.export();
  expect(calls).toEqual([['vertex', 'run']]);
  expect(last.spans[0]).toMatchObject({
    spanId: vertex.spanContext().spanId,
    parentSpanId: run.spanContext().spanId,
    attributes: { 'millrace.vertex.id': 'a' },
  });
  expect(JSON.stringify(last.spans)).not.toContain('a prompt');
  vertex.end();
  await tracer.export();
  run.end();
  await tracer.export();
  expect(calls).toEqual([['vertex', 'run'], ['run'], []]);
  expect(tracer.exported()).toEqual(['call', 'vertex', 'run']);
});

test('nothing is kept of spans that are exported together, or that belong to no attempt', async () => {
  const { store, calls } = openStore();
  const tracer = open(store);
  const [run, inRun] = tracer.begin('run', contextOfAttempt(ROOT_CONTEXT, attempt));
  const [vertex] = tracer.begin('vertex', inRun);
  vertex.end();
  run.end();
  await tracer.export();
  const [, inOther] = tracer.begin('other', ROOT_CONTEXT);
  tracer.begin('below', inOther)[0].end();
  await tracer.export();
  expect(calls).toEqual([]);
  expect(tracer.exported()).toEqual(['vertex', 'run', 'below']);
});

test.each([
  ['fails', () => Promise.reject(new Error('down'))],
  ['does not answer', () => new Promise<void>(() => undefined)],
])('spans are exported when the store %s', async (_, keep) => {
  const tracer = open({ keep });
  const [, inRun] = tracer.begin('run', contextOfAttempt(ROOT_CONTEXT, attempt));
  tracer.begin('vertex', inRun)[0].end();
  await tracer.export();
  expect(tracer.exported()).toEqual(['vertex']);
});
