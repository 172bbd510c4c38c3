import { setTimeout as pause } from 'node:timers/promises';
import type { RunResponse } from '@millrace/flow';
import { createMetrics, uuidv7 } from '@millrace/service';
import { until } from '@millrace/service/testing';
import { installForAllTests } from './testing/install-for-tests';

const given = installForAllTests();

test('answers an interactive job, then records it and notifies the gateway', async () => {
  const job = given.job(given.echo);
  await given.send(job);
  const reply = await given.finalReply(job.runId);
  expect(reply.headers['x-status']).toBe('succeeded');
  const answer = JSON.parse(reply.body.toString()) as RunResponse;
  expect(answer).toMatchObject({ session_id: 'session', outputs: [{ inputs: { input_value: 'hello' } }] });
  await given.recorded(job.runId);
  expect(await given.runs.find(given.userId, job.runId)).toMatchObject({
    status: 'succeeded',
    attempt: 1,
    result: answer,
  });
  const metrics = await given.metrics.prometheusText();
  const labels = 'lane="interactive",pool="default"';
  expect(metrics).toContain(`millrace_runs_finished_total{status="succeeded",${labels}} 1`);
  expect(metrics).toContain('millrace_run_duration_seconds_count{lane="interactive"} 1');
  expect(metrics).toContain('millrace_pool_slots{pool="default",state="free"} 4');
  const stored = await given.messages.list({
    userId: given.userId,
    flowId: given.echo.id,
    sessionId: 'session',
  });
  expect(stored.map(({ sender, text }) => [sender, text])).toEqual([
    ['User', 'hello'],
    ['Machine', 'hello'],
  ]);
});

test('the document of a flow is kept in the key-value store for other executors', async () => {
  const job = given.job(given.echo);
  await given.send(job);
  await given.finalReply(job.runId);
  await until(async () => (await given.keyValue.get(`plan:${job.flowId}@${job.flowVersion}`)) !== null);
});

test('takes interactive jobs from the standby lane too', async () => {
  const job = given.job(given.echo);
  await given.bus.publish({
    exchange: given.names.runsExchange,
    routingKey: 'interactive.of-no-queue',
    alternativeRoutingKey: given.names.standbyKey('default'),
    body: Buffer.from(JSON.stringify(job)),
    persistent: false,
    mandatory: true,
    correlationId: job.runId,
    replyTo: given.names.reply('test'),
  });
  expect((await given.finalReply(job.runId)).headers['x-status']).toBe('succeeded');
});

test('the result of a frozen vertex is reused in later runs', async () => {
  const found = await given.flows.find(given.userId, given.echo.id);
  const document = structuredClone(found?.document) as { nodes: { data: { node: { frozen?: boolean } } }[] };
  for (const { data } of document.nodes) data.node.frozen = true;
  const frozen = await given.flows.create(given.userId, { name: `frozen-${uuidv7()}`, document });
  const reused = async (text: string): Promise<boolean | undefined> => {
    const job = given.job(frozen, { request: given.request(text) });
    await given.send(job);
    const answer = JSON.parse((await given.finalReply(job.runId)).body.toString()) as RunResponse;
    return answer.outputs[0]?.outputs[0]?.used_frozen_result;
  };
  expect([await reused('one'), await reused('one'), await reused('two')]).toEqual([false, true, false]);
});

test('a streamed run sends its events in order before the final frame', async () => {
  const job = given.job(given.echo, { request: given.request('streamed', { stream: true }) });
  await given.send(job);
  await given.finalReply(job.runId);
  const frames = given.replies.filter(({ correlationId }) => correlationId === job.runId);
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

test('a request can be in the job or behind a payload reference', async () => {
  const job = given.job(given.echo, { request: null, claimCheck: 'check-1' });
  await given.keyValue.set('check-1', JSON.stringify(given.request('from the store')));
  await given.send(job);
  expect((await given.finalReply(job.runId)).body.toString()).toContain('from the store');
});

test('a job whose payload reference is missing is answered at once', async () => {
  const job = given.job(given.echo, { request: null, claimCheck: 'check-2' });
  await given.send(job);
  expect((await given.finalReply(job.runId)).headers['x-status']).toBe('failed');
});

test('a job whose deadline had passed when it was sent is not started', async () => {
  const late = given.job(given.echo, { deadline: Date.now() - 1 });
  await given.send(late);
  expect((await given.finalReply(late.runId)).headers['x-status']).toBe('timed_out');
  expect(await given.runs.find(given.userId, late.runId)).toBeNull();
});

test('a durable run is executed once, however often its message comes', async () => {
  const job = await given.accept(given.echo);
  await Promise.all([given.send(job), given.send(job), given.send(job)]);
  await given.finalReply(job.runId);
  await pause(200);
  expect(await given.runs.find(given.userId, job.runId)).toMatchObject({ status: 'succeeded', attempt: 1 });
  expect(await given.messages.list({ userId: given.userId, sessionId: 'durable-session' })).toHaveLength(2);
});

test('a run of a deleted flow fails instead of waiting', async () => {
  const job = given.job(given.echo, { flowId: uuidv7() });
  await given.send(job);
  const reply = await given.finalReply(job.runId);
  expect(reply.headers['x-status']).toBe('failed');
  expect(JSON.parse(reply.body.toString())).toMatchObject({ code: 'flow_refused' });
});

test('a durable job whose row is missing is answered', async () => {
  const job = given.job(given.echo, { durable: true, request: null });
  await given.send(job);
  expect((await given.finalReply(job.runId)).body.toString()).toContain('flow_refused');
  const missing = given.logged('job without a run: the run is not in the database');
  expect(missing).toContainEqual(expect.objectContaining({ runId: job.runId }));
});

test.each([
  ['not JSON', 'nothing of use'],
  ['null', 'null'],
  ['a later version', JSON.stringify({ schemaVersion: 2, runId: uuidv7(), flowId: uuidv7() })],
  ['invalid ids', JSON.stringify({ schemaVersion: 1, runId: 'a', flowId: 'b', durable: true })],
  ['random bytes', '\u0000\ufffd\u0007{"schemaVersion"'],
  ['five megabytes', `{"schemaVersion":1,"runId":"${'x'.repeat(5_000_000)}"}`],
  ['deep nesting', '['.repeat(1_000_000)],
])('a message that is not a job is discarded, and its caller gets an error: %s', async (_what, text) => {
  const runId = uuidv7();
  await given.sendText(text, { lane: 'interactive', runId });
  expect((await given.finalReply(runId)).headers['x-status']).toBe('failed');
  const discarded = given.logged('message dead-lettered: it is not a job of this version');
  expect(discarded).toContainEqual(expect.objectContaining({ runId }));
  const next = given.job(given.echo);
  await given.send(next);
  await given.finalReply(next.runId);
});

test.each([
  [500, true],
  [Number.POSITIVE_INFINITY, false],
])('with a maximum lag of the event loop of %d ms, its measure is a metric: %p', async (lag, isMeasured) => {
  const metrics = createMetrics();
  const limits = { eventLoopLagMilliseconds: lag };
  const executor = await given.startExecutor('measured', { metrics, limits });
  expect((await metrics.prometheusText()).includes('millrace_event_loop_lag_seconds')).toBe(isMeasured);
  await executor.close({ deadlineMilliseconds: 3_000 });
  await metrics.close();
});
