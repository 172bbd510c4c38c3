import { context, propagation, trace } from '@opentelemetry/api';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace';
import { LostAttempts } from '@millrace/dispatch';
import { openKeyValueStore } from '@millrace/key-value';
import type { KeyValueStore } from '@millrace/key-value';
import { createLogger } from '@millrace/service';
import { until } from '@millrace/service/testing';
import { FlowNames } from './flow-names';
import { RunTraces } from './run-traces';
import type { TracedAttempt } from './run-traces';

const REQUEST = '00-11111111111111111111111111111111-2222222222222222-01';
const REPLAYED = '00-33333333333333333333333333333333-4444444444444444-01';

const memory = new InMemorySpanExporter();
const sdk = new NodeSDK({
  autoDetectResources: false,
  spanProcessors: [new SimpleSpanProcessor({ exporter: memory })],
  metricReaders: [],
  logRecordProcessors: [],
});
let keyValue: KeyValueStore;
let traces: RunTraces;

beforeAll(async () => {
  sdk.start();
  const logger = createLogger({ name: 'traces-test', level: 'silent' });
  keyValue = await openKeyValueStore({ url: undefined, prefix: '', logger, name: 'traces-test' });
  const names = new FlowNames({ name: async () => 'Letter' });
  const lost = new LostAttempts({ keyValue, flowNames: names, logger });
  traces = new RunTraces({ names, lost, environment: {} });
});
beforeEach(() => memory.reset());
afterAll(async () => {
  await sdk.shutdown();
  trace.disable();
  context.disable();
  propagation.disable();
  await keyValue.close();
});

const attempt: TracedAttempt = {
  runId: 'run',
  attempt: 1,
  userId: 'user',
  flowId: 'flow',
  flowVersion: 1,
  lane: 'background',
  pool: 'default',
  sessionId: 'session',
  traceparent: REQUEST,
  replayedTraceparent: null,
  lostAttempt: null,
  acceptedAt: new Date(),
  waitedMilliseconds: null,
};

/** Begins and ends an attempt; resolves to its spans by name. */
async function spansOf(changes: Partial<TracedAttempt>) {
  traces.begin({ ...attempt, ...changes }).end({ status: 'succeeded', failure: null });
  const finished = () => memory.getFinishedSpans();
  await until(() => finished().some(({ name }) => name.startsWith('invoke_workflow')));
  const found = (name: string) => finished().find((span) => span.name === name);
  return { run: found('invoke_workflow Letter'), wait: found('queue') };
}

test('an attempt without a trace of its delivery belongs to the trace that its row names', async () => {
  const { run, wait } = await spansOf({});
  expect(run?.spanContext().traceId).toBe('1'.repeat(32));
  expect(run?.parentSpanContext?.spanId).toBe('2'.repeat(16));
  expect(run?.attributes).toMatchObject({ 'session.id': 'session', 'millrace.run.status': 'succeeded' });
  expect([run?.links, wait]).toEqual([[], undefined]);
});

test.each([null, 'no trace'])('an attempt with the trace %j begins a trace', async (traceparent) => {
  const { run } = await spansOf({ traceparent, sessionId: null });
  expect(run?.spanContext().traceId).not.toBe('1'.repeat(32));
  expect(run?.parentSpanContext).toBeUndefined();
  expect(run?.attributes).not.toHaveProperty('session.id');
});

test('a replay names the trace of the run that it replays', async () => {
  const { run } = await spansOf({ replayedTraceparent: REPLAYED });
  expect(run?.links).toMatchObject([
    { context: { traceId: '3'.repeat(32) }, attributes: { 'millrace.link': 'replayed_run' } },
  ]);
});

test('the wait of a first attempt has a span in the same trace', async () => {
  const { run, wait } = await spansOf({ waitedMilliseconds: 1_500 });
  expect(wait?.spanContext().traceId).toBe('1'.repeat(32));
  expect(wait?.duration[0]).toBe(1);
  expect(run?.attributes).toMatchObject({ 'millrace.run.queue_milliseconds': 1_500 });
});

test('an attempt whose executor was lost has a span beside that of the next attempt', async () => {
  traces.begin({ ...attempt, attempt: 2, lostAttempt: 1 }).end({ status: 'succeeded', failure: null });
  await until(() => memory.getFinishedSpans().length === 2);
  const spans = memory.getFinishedSpans().map((span) => ({
    attempt: span.attributes['millrace.run.attempt'],
    status: span.attributes['millrace.run.status'],
    trace: span.spanContext().traceId,
    parent: span.parentSpanContext?.spanId,
  }));
  const request = { trace: '1'.repeat(32), parent: '2'.repeat(16) };
  expect(spans).toHaveLength(2);
  expect(spans).toEqual(
    expect.arrayContaining([
      { attempt: 1, status: 'executor_lost', ...request },
      { attempt: 2, status: 'succeeded', ...request },
    ]),
  );
});
