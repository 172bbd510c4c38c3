import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { until } from '@millrace/service/testing';
import { gatewayForTests } from '../../testing/test-gateway';
import type { TakenJob } from '../../testing/test-executor';

const echo = JSON.parse(readFileSync(join(__dirname, '../../../../../examples/echo.json'), 'utf8')) as object;
const result = { session_id: 's', outputs: [] };
const path = '/api/v1/run/echo';

const gateway = gatewayForTests();
beforeAll(async () => {
  await gateway.createFlow({ ...echo, endpoint_name: 'echo' });
}, 60_000);
afterEach(() => {
  gateway.executor.handleJob = null;
});

/** Accepts jobs without replying to them. */
function acceptJobs(): TakenJob[] {
  const takenJobs: TakenJob[] = [];
  gateway.executor.handleJob = async (takenJob) => void takenJobs.push(takenJob);
  return takenJobs;
}

/** Sends the final frame repeatedly, until all callers that attach to the run have their answer. */
async function sendUntilAnswered<T>(takenJob: TakenJob | undefined, callers: Promise<T>): Promise<T> {
  let isDone = false;
  const done = callers.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    await takenJob?.final('succeeded', result);
    await pause(10);
  }
  return done;
}

test('a request with a key can be repeated where each run has a session of its own', async () => {
  await gateway.createFlow({ ...echo, endpoint_name: 'own-sessions', settings: { sessions: 'own' } });
  const send = () =>
    gateway.call('POST', '/api/v1/run/own-sessions', { input_value: 'a' }, { 'idempotency-key': 'own' });
  const [first, second] = [await send(), await send()];
  expect([first.status, second.status, second.json]).toEqual([200, 200, first.json]);
});

describe('Prefer: respond-async, wait=N', () => {
  test('a run that ends in time is answered like a synchronous run, and is durable', async () => {
    const body = { input_value: 'soon', session_id: 's-1' };
    const answer = await gateway.call('POST', path, body, { prefer: 'respond-async, wait=30' });
    expect(answer).toMatchObject({ status: 200, json: { session_id: 's-1' } });
    expect(answer.headers.get('preference-applied')).toBe('wait=30');
    expect(gateway.executor.jobs.at(-1)).toMatchObject({
      runId: answer.headers.get('x-run-id'),
      durable: true,
      lane: 'interactive',
    });
  });

  test('a longer run is answered 202 with its location, and its result can be read later', async () => {
    const takenJobs = acceptJobs();
    const headers = { prefer: 'respond-async, wait=1', 'idempotency-key': 'patient' };
    const accepted = await gateway.call('POST', path, {}, headers);
    expect(accepted).toMatchObject({
      status: 202,
      json: { status: 'in progress', run_id: takenJobs[0]?.job.runId },
    });
    expect(accepted.headers.get('location')).toBe(`/api/v1/runs/${takenJobs[0]?.job.runId}`);
    expect(accepted.headers.get('x-run-id')).toBe(takenJobs[0]?.job.runId);
    expect(accepted.headers.get('preference-applied')).toBe('respond-async, wait=1');
    const record = await gateway.call('GET', accepted.headers.get('location') ?? '');
    expect(record).toMatchObject({ status: 200, json: { result: null } });
    const attached = gateway.call('POST', path, {}, { 'idempotency-key': 'patient' });
    expect(await sendUntilAnswered(takenJobs[0], attached)).toMatchObject({ status: 200, json: result });
    expect(takenJobs).toHaveLength(1);
  });

  test('a run that fails in time is answered with its error and its run id', async () => {
    const failure = { code: 'component_failed', message: 'Error building Component: no', problems: [] };
    gateway.executor.handleJob = (takenJob) => takenJob.final('failed', failure);
    const answer = await gateway.call('POST', path, {}, { prefer: 'respond-async, wait=30' });
    expect(answer.status).toBe(500);
    expect(answer.headers.get('x-run-id')).toBe(gateway.executor.jobs.at(-1)?.runId);
  });

  test.each([
    ['a stream', `${path}?stream=true`, 'respond-async, wait=30'],
    ['a wait of 0 s', path, 'respond-async, wait=0'],
  ])('%s is not waited for', async (_, target, prefer) => {
    const answer = await gateway.call('POST', target, {}, { prefer });
    expect(answer.status).toBe(202);
    expect(answer.headers.get('preference-applied')).toBe('respond-async');
  });

  test('wait without respond-async has no effect', async () => {
    const answer = await gateway.call('POST', path, {}, { prefer: 'wait=1' });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('preference-applied')).toBeNull();
    expect(gateway.executor.jobs.at(-1)?.durable).toBe(false);
  });
});

describe('F13: the same Idempotency-Key', () => {
  const parallel = 200;

  test('200 concurrent requests start one run and get equal answers; a different body is refused', async () => {
    const before = gateway.executor.jobs.length;
    const headers = { 'idempotency-key': 'order-1' };
    const body = { input_value: 'once', session_id: 'idempotent' };
    const answers = await Promise.all(
      Array.from({ length: parallel }, () => gateway.call('POST', path, body, headers)),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(new Set(answers.map((answer) => answer.headers.get('x-run-id'))).size).toBe(1);
    expect(gateway.executor.jobs.length - before).toBe(1);
    expect((await gateway.call('POST', path, body, headers)).text).toBe(answers[0]?.text);
    const other = await gateway.call('POST', path, { input_value: 'other' }, headers);
    expect(other.status).toBe(422);
    expect(other.headers.get('x-error-code')).toBe('idempotency_conflict');
  });

  test('other callers attach to a run in progress, and a different body is refused at once', async () => {
    const takenJobs = acceptJobs();
    const headers = { 'idempotency-key': 'order-2' };
    const first = gateway.call('POST', path, { input_value: 'x' }, headers);
    await until(() => takenJobs.length === 1);
    const second = gateway.call('POST', path, { input_value: 'x' }, headers);
    expect((await gateway.call('POST', path, { input_value: 'y' }, headers)).status).toBe(422);
    const [one, other] = await sendUntilAnswered(takenJobs[0], Promise.all([first, second]));
    expect(one).toMatchObject({ status: 200, json: result });
    expect(other.text).toBe(one.text);
    expect(takenJobs).toHaveLength(1);
  });
});

describe('POST /api/v1/runs/{id}/cancel', () => {
  test('a queued run ends at once', async () => {
    const accepted = await gateway.call('POST', path, {}, { prefer: 'respond-async' });
    const location = accepted.headers.get('location') ?? '';
    expect((await gateway.call('POST', `${location}/cancel`)).json).toMatchObject({ status: 'cancelled' });
    expect((await gateway.call('GET', location)).json).toMatchObject({
      status: 'cancelled',
      error: { code: 'cancelled' },
    });
  });

  test('an ended run stays unchanged', async () => {
    const answer = await gateway.call('POST', path, { input_value: 'done' });
    const location = `/api/v1/runs/${answer.headers.get('x-run-id')}`;
    await gateway.call('GET', location);
    const cancelled = await gateway.call('POST', `${location}/cancel`);
    expect(cancelled).toMatchObject({ status: 202, json: { status: 'succeeded' } });
    expect((await gateway.call('GET', location)).json).toMatchObject({ status: 'succeeded' });
  });

  test('an unknown run is not found', async () => {
    const unknown = '01890000-0000-7000-8000-000000000000';
    expect((await gateway.call('POST', `/api/v1/runs/${unknown}/cancel`)).status).toBe(404);
  });
});
