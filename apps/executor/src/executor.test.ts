import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { componentRegistry } from '@millrace/components';
import { brokerNames, replyTopology, runsTopology } from '@millrace/contracts';
import type { Job } from '@millrace/contracts';
import { migrate, openDatabase } from '@millrace/database';
import type { Database } from '@millrace/database';
import type { RunRequest, RunResponse } from '@millrace/flow';
import { openKeyValueStore } from '@millrace/key-value';
import type { KeyValueStore } from '@millrace/key-value';
import { openMessageBus } from '@millrace/messaging';
import type { Delivery, MessageBus } from '@millrace/messaging';
import {
  Encryption,
  FlowStore,
  MessageStore,
  RunStore,
  SessionHistory,
  UserStore,
  VariableStore,
} from '@millrace/runs';
import type { FlowRecord, NewRun } from '@millrace/runs';
import { createLogger, createMetrics, Health, uuidv7 } from '@millrace/service';
import { startExecutor } from './executor';
import type { Executor } from './executor';

const logger = createLogger({ name: 'executor-test', level: 'silent' });
const names = brokerNames();
const replyTo = names.reply('test');
let database: Database;
let bus: MessageBus;
let keyValue: KeyValueStore;
let executor: Executor;
let userId: string;
let echo: FlowRecord;
let runs: RunStore;
let messages: MessageStore;
const replies: Delivery[] = [];

beforeAll(async () => {
  database = await openDatabase({ url: undefined, logger, name: 'executor-test' });
  await migrate(database, { logger });
  bus = await openMessageBus({ url: undefined, logger, name: 'executor-test' });
  keyValue = await openKeyValueStore({ url: undefined, prefix: '', logger, name: 'executor-test' });
  await bus.provision(runsTopology(names, ['default']));
  await bus.provision(replyTopology(names, 'test'));
  await bus.consume(replyTo, { prefetch: 100, noAck: true }, async (delivery) => {
    replies.push(delivery);
    return 'done';
  });
  const flows = new FlowStore({ database });
  runs = new RunStore({ database });
  messages = new MessageStore({ database });
  userId = (await new UserStore({ database }).ensureFirst()).id;
  const example = JSON.parse(
    readFileSync(join(__dirname, '..', '..', '..', 'examples', 'echo.json'), 'utf8'),
  ) as { data: unknown };
  echo = await flows.create(userId, { name: 'echo', document: example.data });
  executor = await startExecutor({
    logger,
    metrics: createMetrics(),
    health: new Health(),
    bus,
    keyValue,
    registry: componentRegistry,
    names,
    flows,
    runs,
    history: new SessionHistory({ keyValue, messages, logger }),
    variables: new VariableStore({
      database,
      encryption: Encryption.from([Buffer.alloc(32, 7).toString('base64')]),
    }),
    limits: { maximumVertices: 1_000, maximumOutputBytes: 1_000_000 },
    fetch,
    environmentVariable: () => undefined,
    worker: 'worker-1',
    version: 'test',
    pool: 'default',
    concurrency: 4,
  });
}, 60_000);

afterAll(async () => {
  await executor.close({ deadlineMilliseconds: 5_000 });
  await bus.close();
  await keyValue.close();
  await database.close();
});

const request = (inputValue: string, changes: Partial<RunRequest> = {}): RunRequest => ({
  form: 'simple',
  inputs: [{ components: [], inputValue, type: 'chat' }],
  outputs: { by: 'type', type: 'chat' },
  tweaks: {},
  stream: false,
  sessionId: 'session',
  globalVariables: {},
  ...changes,
});

function interactiveJob(changes: Partial<Job> = {}): Job {
  return {
    schemaVersion: 1,
    runId: uuidv7(),
    lane: 'interactive',
    pool: 'default',
    flowId: echo.id,
    flowVersion: echo.version,
    userId,
    durable: false,
    deadline: Date.now() + 10_000,
    acceptedAt: Date.now(),
    request: request('hello'),
    claimCheck: null,
    ...changes,
  };
}

async function send(job: Job, lane: 'interactive' | 'background' = 'interactive'): Promise<void> {
  await bus.publish({
    exchange: names.runsExchange,
    routingKey: names.routingKey(lane, 'default'),
    body: Buffer.from(JSON.stringify(job)),
    persistent: lane === 'background',
    mandatory: true,
    correlationId: job.runId,
    replyTo,
  });
}

async function finalReply(runId: string): Promise<Delivery> {
  for (let tries = 0; tries < 500; tries += 1) {
    const found = replies.find(({ correlationId, type }) => correlationId === runId && type === 'final');
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`run ${runId} was not answered`);
}

const isRecorded = (runId: string) =>
  replies.some(({ type, body }) => type === 'recorded' && body.toString().includes(runId));

async function untilRecorded(runId: string): Promise<void> {
  for (let tries = 0; tries < 500 && !isRecorded(runId); tries += 1)
    await new Promise((resolve) => setTimeout(resolve, 10));
  expect(isRecorded(runId)).toBe(true);
}

test('answers an interactive job, then writes it down and says so', async () => {
  const job = interactiveJob();
  await send(job);
  const reply = await finalReply(job.runId);
  expect(reply.headers['x-status']).toBe('succeeded');
  const answer = JSON.parse(reply.body.toString()) as RunResponse;
  expect(answer).toMatchObject({ session_id: 'session', outputs: [{ inputs: { input_value: 'hello' } }] });
  await untilRecorded(job.runId);
  expect(await runs.find(userId, job.runId)).toMatchObject({
    status: 'succeeded',
    attempt: 1,
    result: answer,
  });
  const stored = await messages.list({ userId, flowId: echo.id, sessionId: 'session' });
  expect(stored.map(({ sender, text }) => [sender, text])).toEqual([
    ['User', 'hello'],
    ['Machine', 'hello'],
  ]);
});

test('a streamed run sends its events in order before the final frame', async () => {
  const job = interactiveJob({ request: request('streamed', { stream: true }) });
  await send(job);
  await finalReply(job.runId);
  const frames = replies.filter(({ correlationId }) => correlationId === job.runId);
  expect(frames.map(({ headers }) => headers['x-sequence'])).toEqual(
    frames.map((_frame, position) => position),
  );
  expect(frames.at(-1)?.type).toBe('final');
  const lines = frames.slice(0, -1).flatMap(({ body }) => body.toString().trim().split('\n'));
  expect(lines.map((line) => (JSON.parse(line) as { event: string }).event)).toEqual([
    'add_message',
    'add_message',
  ]);
});

test('a claim check is as good as a request in the job', async () => {
  const job = interactiveJob({ request: null, claimCheck: 'check-1' });
  await keyValue.set('check-1', JSON.stringify(request('from the store')));
  await send(job);
  expect((await finalReply(job.runId)).body.toString()).toContain('from the store');
});

test('a job whose deadline has passed is not started', async () => {
  const late = interactiveJob({ deadline: Date.now() - 1 });
  const next = interactiveJob();
  await send(late);
  await send(next);
  await finalReply(next.runId);
  expect(replies.some(({ correlationId }) => correlationId === late.runId)).toBe(false);
});

test('a durable run is executed once, however often its message comes', async () => {
  const run: NewRun = {
    id: uuidv7(),
    flowId: echo.id,
    flowVersion: echo.version,
    userId,
    lane: 'background',
    pool: 'default',
    origin: 'webhook',
    request: request('durable', { sessionId: 'durable-session' }),
    sessionId: 'durable-session',
    limitMilliseconds: 10_000,
    maximumAttempts: 3,
  };
  await runs.accept([run]);
  const job = interactiveJob({
    runId: run.id,
    lane: 'background',
    durable: true,
    request: null,
    deadline: null,
  });
  await Promise.all([send(job, 'background'), send(job, 'background'), send(job, 'background')]);
  await finalReply(run.id);
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(await runs.find(userId, run.id)).toMatchObject({ status: 'succeeded', attempt: 1 });
  expect(await messages.list({ userId, sessionId: 'durable-session' })).toHaveLength(2);
});

test('a run of a deleted flow fails instead of waiting', async () => {
  const job = interactiveJob({ flowId: uuidv7() });
  await send(job);
  const reply = await finalReply(job.runId);
  expect(reply.headers['x-status']).toBe('failed');
  expect(JSON.parse(reply.body.toString())).toMatchObject({ code: 'flow_refused' });
});
