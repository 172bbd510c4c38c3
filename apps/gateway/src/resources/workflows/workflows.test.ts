import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { originOf } from '@millrace/dispatch';
import { createMetrics, uuidv7 } from '@millrace/service';
import { createGateway } from '../../gateway';
import { followed, readEvents } from '../../testing/read-events';
import { openTestGateway, TEST_KEY } from '../../testing/test-gateway';
import type { TestGateway } from '../../testing/test-gateway';

const echo = JSON.parse(readFileSync(join(__dirname, '../../../../../examples/echo.json'), 'utf8')) as Record<
  string,
  unknown
>;
const PATH = '/api/v2/workflows';

let gateway: TestGateway;
let flowId: string;
beforeAll(async () => {
  gateway = await openTestGateway();
  flowId = await gateway.createFlow({ ...echo, endpoint_name: 'echo' });
}, 60_000);
afterAll(() => gateway.close());
afterEach(() => {
  gateway.executor.handleJob = null;
});

const token = (chunk: string) => ({ event: 'token', data: { chunk, id: 'm' } });
const run = (body: Record<string, unknown>) => gateway.call('POST', PATH, { flow_id: flowId, ...body });

/** Makes the executor end a run: the record first, then the final frame. */
async function finish({ job, final }: Parameters<NonNullable<typeof gateway.executor.handleJob>>[0]) {
  const result = { session_id: 's', outputs: [] };
  await gateway.runs.claim([{ runId: job.runId, worker: 'test', redelivered: false }]);
  await gateway.runs.complete([
    {
      runId: job.runId,
      attempt: 1,
      status: 'succeeded',
      result: JSON.stringify(result),
      failure: null,
      messages: [],
    },
  ]);
  await final('succeeded', result);
}

describe('a run whose caller waits', () => {
  test('answers with its outputs, and can be read afterwards', async () => {
    const answer = await run({ input_value: 'hello', session_id: 's-1' });
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({
      flow_id: flowId,
      session_id: 's-1',
      status: 'completed',
      output: { reason: 'single', text: 'hello' },
      inputs: {},
    });
    const { job_id } = answer.json as { job_id: string };
    const again = await gateway.call('GET', `${PATH}?job_id=${job_id}`);
    expect(again.json).toMatchObject({ job_id, object: 'response', output: { text: 'hello' } });
  });

  test('repeats its variables, of headers and of the body', async () => {
    const headers = { 'x-langflow-global-var-region': 'north', 'x-langflow-global-var-tone': 'dry' };
    const body = { flow_id: flowId, input_value: 'x', globals: { TONE: 'warm' } };
    expect((await gateway.call('POST', PATH, body, headers)).json).toMatchObject({
      globals: { REGION: 'north', TONE: 'warm' },
    });
  });

  test('passes its files to the chat input', async () => {
    const files = ['a-flow/one.txt', 'a-flow/two.txt'];
    const answer = await run({ input_value: 'x', session_id: 'with files', files });
    expect(answer.status).toBe(200);
    const path = '/api/v1/monitor/messages?session_id=with%20files&sender=User';
    expect((await gateway.call('GET', path)).json).toMatchObject([
      { text: 'x', files: JSON.stringify(files) },
    ]);
  });

  test('that fails is an answer with status 200', async () => {
    gateway.executor.handleJob = ({ final }) =>
      final('failed', { code: 'component_failed', message: 'It broke.', vertex: null, problems: [] });
    const answer = await run({ input_value: 'x' });
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({
      status: 'failed',
      has_errors: true,
      session_id: null,
      output: { reason: 'failed' },
      errors: [
        {
          error: 'It broke.',
          code: 'EXECUTION_ERROR',
          details: { flow_id: expect.any(String), error_type: 'ValueError' },
        },
      ],
    });
  });

  test.each([PATH, `${PATH}/stop`])('without a body is refused: %s', async (path) => {
    expect(await gateway.call('POST', path)).toMatchObject({
      status: 422,
      json: { detail: [{ type: 'missing', loc: ['body'] }] },
    });
  });

  test('that ends at its deadline is answered 408', async () => {
    gateway.executor.handleJob = ({ final }) =>
      final('timed_out', { code: 'deadline_exceeded', message: 'late', vertex: null, problems: [] });
    const answer = await run({ input_value: 'x' });
    expect([answer.status, answer.json]).toMatchObject([408, { detail: { code: 'EXECUTION_TIMEOUT' } }]);
  });

  test('with unknown outputs is refused with a list of the available ones', async () => {
    for (const mode of ['stream', 'background']) {
      expect(await run({ input_value: 'x', mode, output_ids: ['nothing'] })).toMatchObject({
        status: 422,
        json: { detail: { code: 'MODE_UNSUPPORTED_FIELDS', fields: ['output_ids'] } },
      });
    }
    const answer = await run({ input_value: 'x', output_ids: ['nothing'] });
    expect(answer.status).toBe(422);
    expect(answer.json).toMatchObject({
      detail: { code: 'UNKNOWN_OUTPUT_IDS', available: [expect.stringContaining('ChatOutput')] },
    });
  });

  test.each([
    [{ data: { nodes: [] } }, 'data'],
    [{ stop_component_id: 'x' }, 'stop_component_id'],
  ])('with unsupported members is refused: %j', async (body, name) => {
    const answer = await run(body);
    expect(answer.status).toBe(422);
    const refusal = { code: 'SYNC_MODE_UNSUPPORTED_FIELDS', fields: [name] };
    expect(answer.json).toMatchObject({ detail: refusal });
    expect((await run({ ...body, mode: 'background' })).json).toMatchObject({
      detail: [{ type: 'not_supported', loc: ['body', name] }],
    });
  });
});

describe('a streamed run', () => {
  test('sends its events with ids, then its outputs and its answer', async () => {
    const { events } = await followed(gateway.url, PATH, {
      body: { flow_id: flowId, mode: 'stream', input_value: 'a' },
    });
    expect(events.map(({ event }) => event)).toEqual(['add_message', 'add_message', 'output', 'end']);
    expect(events.map(({ id }) => id)).toEqual([1, 2, expect.any(Number), expect.any(Number)]);
    expect(events.at(-2)?.data).toMatchObject({ component_id: expect.stringMatching(/^ChatOutput/) });
    expect(events.at(-1)?.data).toMatchObject({
      build_duration: expect.any(Number),
      result: { status: 'completed', output: { text: 'a' } },
    });
  });

  test('sends the conversation alone when its caller does not want the graph', async () => {
    const body = { flow_id: flowId, mode: 'stream', expose_graph_state: false };
    gateway.executor.handleJob = async (takenJob) => {
      const source = { id: 'Chat-1', display_name: 'Chat', source: 'model' };
      const message = { text: 'a', properties: { source, state: 'complete' } };
      await takenJob.events([
        { event: 'vertices_sorted', data: { ids: ['Chat-1'] } },
        { event: 'build_start', data: {} },
        { event: 'add_message', data: { ...message, data: message } },
        { event: 'end_vertex', data: { build_data: {} } },
      ]);
      await finish(takenJob);
    };
    const { events, runId } = await followed(gateway.url, PATH, { body });
    expect(events.map(({ event }) => event)).toEqual(['build_start', 'add_message', 'end']);
    const properties = { source: { id: null, display_name: null, source: null }, state: 'complete' };
    expect(events[1]?.data).toEqual({ text: 'a', properties, data: { text: 'a', properties } });
    const later = await followed(gateway.url, `${PATH}/${runId}/events?expose_graph_state=false`, {
      after: 2,
    });
    expect(later.events.map(({ event }) => event)).toEqual(['add_message', 'end']);
  });

  test('speaks AG-UI, and resumes it', async () => {
    const response = await fetch(gateway.url + PATH, {
      method: 'POST',
      headers: { 'x-api-key': TEST_KEY, 'content-type': 'application/json' },
      body: JSON.stringify({ flow_id: flowId, mode: 'stream', input_value: 'hi', stream_protocol: 'agui' }),
    });
    const runId = response.headers.get('x-run-id');
    const lines = (await response.text()).split('\n\n').filter((part) => part !== '');
    expect(lines.map((part) => /^id: (\d)\ndata: \{"type":"(\w+)"/.exec(part)?.slice(1))).toEqual([
      ['0', 'RUN_STARTED'],
      ['1', 'TEXT_MESSAGE_START'],
      ['2', 'TEXT_MESSAGE_CONTENT'],
      ['3', 'TEXT_MESSAGE_END'],
      ['4', 'RUN_FINISHED'],
    ]);
    const rest = await fetch(`${gateway.url}${PATH}/${runId}/events?stream_protocol=agui`, {
      headers: { 'x-api-key': TEST_KEY, 'last-event-id': '2' },
    });
    expect(await rest.text()).toBe(`${lines.slice(3).join('\n\n')}\n\n`);
  });

  test('in an unknown protocol is refused with a list of the known ones', async () => {
    const answer = await run({ mode: 'stream', stream_protocol: 'x' });
    expect([answer.status, answer.json]).toMatchObject([
      422,
      { detail: { code: 'UNKNOWN_STREAM_PROTOCOL', available: ['agui', 'langflow'] } },
    ]);
  });

  test('resumes after the last event that its caller received, on any gateway', async () => {
    gateway.executor.handleJob = async (takenJob) => {
      await takenJob.events([token('a'), token('b')]);
      await takenJob.events([token('c')]);
      await finish(takenJob);
    };
    const first = await followed(gateway.url, PATH, { body: { flow_id: flowId, mode: 'stream' }, until: 2 });
    const other = createGateway({ ...gateway, instance: 'another-gateway', metrics: createMetrics() });
    const { port } = await other.listen({ host: '127.0.0.1', port: 0 });
    const rest = await followed(`http://127.0.0.1:${port}`, `${PATH}/${first.runId}/events`, {
      after: first.events.at(-1)?.id,
    });
    const received = [...first.events, ...rest.events];
    expect(received.map(({ data, event }) => data['chunk'] ?? event)).toEqual(['a', 'b', 'c', 'end']);
    const whole = await followed(`http://127.0.0.1:${port}`, `${PATH}/${first.runId}/events`, {});
    expect(whole.events.map(({ id }) => id)).toEqual(received.map(({ id }) => id));
    await other.close();
  });

  test('announces a second attempt before it repeats the first', async () => {
    gateway.executor.handleJob = async (takenJob) => {
      await takenJob.events([token('a')]);
      await takenJob.events([token('a'), token('b')], 2);
      await takenJob.events([token('late')]);
      const { job } = takenJob;
      await finish({ ...takenJob, job, final: (status, body) => takenJob.final(status, body, 2) });
    };
    const { events } = await followed(gateway.url, PATH, { body: { flow_id: flowId, mode: 'stream' } });
    const received = events.map(({ event, data }) => data['chunk'] ?? event);
    expect(received.slice(received.indexOf('restart'))).toEqual(['restart', 'a', 'b', 'end']);
    expect(received).not.toContain('late');
  });

  test('ends with its answer when frames were lost', async () => {
    gateway.executor.handleJob = async (takenJob) => {
      await takenJob.events([token('a')]);
      await finish({ ...takenJob, final: async () => undefined });
    };
    const { events } = await followed(gateway.url, PATH, { body: { flow_id: flowId, mode: 'stream' } });
    expect(events.map(({ event }) => event)).toEqual(['token', 'end']);
  });

  test('is closed without an end event when its gateway closes', async () => {
    gateway.executor.handleJob = ({ events }) => events([token('a')]);
    const closing = createGateway({ ...gateway, instance: 'closing-gateway', metrics: createMetrics() });
    const { port } = await closing.listen({ host: '127.0.0.1', port: 0 });
    const response = await fetch(`http://127.0.0.1:${port}${PATH}`, {
      method: 'POST',
      headers: { 'x-api-key': TEST_KEY, 'content-type': 'application/json' },
      body: JSON.stringify({ flow_id: flowId, mode: 'stream' }),
    });
    const received: string[] = [];
    for await (const { event } of readEvents(response)) {
      received.push(event);
      if (received.length === 1) void closing.close();
    }
    expect(received).toEqual(['token']);
    await closing.close();
  });
});

describe('a run in the background', () => {
  test('is a queued job, is found by its key, and can be stopped', async () => {
    const started = await run({ input_value: 'b', mode: 'background', idempotency_key: 'k-1' });
    expect(started.json).toMatchObject({ object: 'job', status: 'queued', flow_id: flowId });
    const { job_id } = started.json as { job_id: string };
    const again = await run({ input_value: 'b', mode: 'background', idempotency_key: 'k-1' });
    expect(again.json).toMatchObject({ job_id });
    const waiting = await gateway.call('GET', `${PATH}?job_id=${job_id}`);
    expect(waiting.json).toMatchObject({ object: 'job', status: 'queued' });

    const stopped = await gateway.call('POST', `${PATH}/stop`, { job_id });
    expect(stopped.json).toEqual({ job_id, message: `Job ${job_id} cancelled successfully.` });
    const twice = await gateway.call('POST', `${PATH}/stop`, { job_id });
    expect(twice.json).toEqual({ job_id, message: `Job ${job_id} is already cancelled.` });
    const after = await gateway.call('GET', `${PATH}?job_id=${job_id}`);
    expect(after.json).toMatchObject({ object: 'job', status: 'cancelled' });
  });

  test('is found by its key, also where an earlier release stored it', async () => {
    const { json } = await run({ input_value: 'b', mode: 'background' });
    const { job_id: id } = json as { job_id: string };
    const { request } = (await gateway.runs.find(gateway.user.id, id))!;
    expect(request).toHaveProperty('keepsStreamFields', true);
    const earlier = { ...request! };
    Reflect.deleteProperty(earlier, 'keepsStreamFields');
    const [earlierId, userId] = [uuidv7(), gateway.user.id];
    await gateway.runs.accept([
      {
        id: earlierId,
        flowId,
        flowVersion: 1,
        userId,
        lane: 'background',
        pool: 'default',
        origin: originOf(earlier),
        request: earlier,
        sessionId: earlier.sessionId,
        limitMilliseconds: 1_000,
        maximumAttempts: 3,
        dedupeKey: `${userId} workflow k-3`,
      },
    ]);
    const again = await run({ input_value: 'b', mode: 'background', idempotency_key: 'k-3' });
    expect(again.json).toMatchObject({ job_id: earlierId });
  });

  test('with a key that was used for another request is refused', async () => {
    await run({ input_value: 'one', mode: 'background', idempotency_key: 'k-2' });
    const other = await run({ input_value: 'two', mode: 'background', idempotency_key: 'k-2' });
    expect([other.status, other.headers.get('x-error-code')]).toEqual([422, 'idempotency_conflict']);
  });

  test.each([
    ['GET', `${PATH}?job_id=00000000-0000-4000-8000-000000000013`, undefined, 404],
    ['GET', `${PATH}/00000000-0000-4000-8000-000000000013/events`, undefined, 404],
    ['POST', `${PATH}/stop`, { job_id: '00000000-0000-4000-8000-000000000013' }, 404],
    ['POST', PATH, undefined, 422],
    ['GET', PATH, undefined, 400],
    ['GET', `${PATH}/x/events`, undefined, 422],
    ['POST', `${PATH}/stop`, undefined, 422],
  ])('that is unknown is refused: %s %s', async (method, path, body, status) => {
    expect((await gateway.call(method, path, body)).status).toBe(status);
  });
});
