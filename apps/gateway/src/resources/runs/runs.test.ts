import { request as send } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { controlTopology } from '@millrace/contracts';
import type { ControlMessage } from '@millrace/contracts';
import { openTestGateway, TEST_KEY } from '../../testing/test-gateway';
import type { TestGateway } from '../../testing/test-gateway';

const echo = JSON.parse(readFileSync(join(__dirname, '../../../../../examples/echo.json'), 'utf8')) as Record<
  string,
  unknown
>;
const nothing = { nodes: [], edges: [] };
const response = { session_id: 's', outputs: [] };

let gateway: TestGateway;
let echoId: string;
beforeAll(async () => {
  gateway = await openTestGateway({
    environment: { MILLRACE_RUN_DEADLINE_SECONDS: '3', MILLRACE_GATEWAY_CONCURRENT_RUNS: '20' },
  });
  echoId = await gateway.createFlow({ ...echo, endpoint_name: 'echo' });
}, 60_000);
afterAll(() => gateway.close());
afterEach(() => {
  gateway.executor.handleJob = null;
});

/** Events of a streamed answer. */
function eventsOf(text: string): { event: string; data: Record<string, unknown> }[] {
  return text
    .split('\n\n')
    .filter((part) => part !== '')
    .map((part) => JSON.parse(part) as never);
}

/** A request whose answer the test reads itself, or does not read. */
function open(path: string, body: unknown): Promise<{ answer: IncomingMessage; leave: () => void }> {
  return new Promise((resolve, reject) => {
    const sent = send(`${gateway.url}${path}`, {
      method: 'POST',
      headers: { 'x-api-key': TEST_KEY, 'content-type': 'application/json' },
    });
    sent.on('error', reject);
    sent.on('response', (answer) => resolve({ answer, leave: () => sent.destroy() }));
    sent.end(JSON.stringify(body));
  });
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 300 && !(await condition()); tries += 1) await pause(10);
  expect(await condition()).toBe(true);
}

const pause = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

describe('a run whose caller waits', () => {
  test('answers with the outputs and the run id in a header, and its record can be read at once', async () => {
    const answer = await gateway.call('POST', '/api/v1/run/echo', {
      input_value: 'hello',
      session_id: 's-1',
    });
    expect(answer).toMatchObject({
      status: 200,
      json: {
        session_id: 's-1',
        outputs: [
          { inputs: { input_value: 'hello' }, outputs: [{ results: { message: { text: 'hello' } } }] },
        ],
      },
    });
    const runId = answer.headers.get('x-run-id') ?? '';
    expect(answer.headers.get('server-timing')).toMatch(/^run;dur=\d+\.\d$/);
    const record = await gateway.call('GET', `/api/v1/runs/${runId}`);
    expect(record).toMatchObject({
      status: 200,
      json: { id: runId, flow_id: echoId, status: 'succeeded', attempt: 1, error: null, result: answer.json },
    });
    const list = (await gateway.call('GET', `/api/v1/runs?flow_id=${echoId}&limit=1`)).json as {
      runs: unknown[];
    };
    expect(list.runs).toMatchObject([{ id: runId, status: 'succeeded' }]);
  });

  test('a read after a run always includes its messages, without a pause', async () => {
    for (let turn = 0; turn < 50; turn += 1) {
      const sessionId = `turn-${turn}`;
      await gateway.call('POST', '/api/v1/run/echo', { input_value: `text ${turn}`, session_id: sessionId });
      const messages = await gateway.call('GET', `/api/v1/monitor/messages?session_id=${sessionId}`);
      expect(messages.json).toMatchObject([{ text: `text ${turn}` }, { text: `text ${turn}` }]);
    }
  });

  test('the bytes of the executor are forwarded unchanged', async () => {
    const outputs = [{ outputs: [], inputs: { input_value: 'ž' } }];
    gateway.executor.handleJob = (takenJob) => takenJob.final('succeeded', { outputs, session_id: 'š' });
    const answer = await gateway.call('POST', '/api/v1/run/echo', {});
    expect(answer.text).toBe('{"outputs":[{"outputs":[],"inputs":{"input_value":"ž"}}],"session_id":"š"}');
  });

  test.each([
    ['by id', () => `/api/v1/run/${echoId}`],
    ['by id in upper case and braces', () => `/api/v1/run/%7B${echoId.toUpperCase()}%7D`],
    ['by the strict path', () => `/run/${echoId.replaceAll('-', '')}`],
    ['by the strict path with an advanced body', () => `/run/${echoId}`],
  ])('a flow is found %s', async (name, path) => {
    const body = name.includes('advanced') ? { inputs: [{ input_value: 'x' }] } : { input_value: 'x' };
    const answer = await gateway.call('POST', path(), body);
    expect(answer).toMatchObject({ status: 200, json: { outputs: [{ inputs: { input_value: 'x' } }] } });
  });

  test('the strict path accepts no names', async () => {
    expect(await gateway.call('POST', '/run/echo', {})).toMatchObject({
      status: 422,
      json: { detail: [{ type: 'uuid_parsing', loc: ['path', 'flow_id'], input: 'echo' }] },
    });
  });

  test('variables of the request are read from its headers', async () => {
    await gateway.call('POST', '/api/v1/run/echo', {}, { 'X-LANGFLOW-GLOBAL-VAR-city': 'Brno' });
    expect(gateway.executor.jobs.at(-1)?.request).toMatchObject({ globalVariables: { CITY: 'Brno' } });
  });

  test('text and form bodies are also read', async () => {
    const text = await gateway.call('POST', '/api/v1/run/echo', '{"input_value":"as text"}', {
      'content-type': 'text/plain',
    });
    expect(text).toMatchObject({ status: 200, json: { outputs: [{ inputs: { input_value: 'as text' } }] } });
    const form = new FormData();
    form.append('input_value', 'as form');
    form.append('tweaks', '{"Chat Output":{"sender_name":"Form"}}');
    const formed = await gateway.call('POST', '/api/v1/run/echo', form);
    expect(formed.json).toMatchObject({
      outputs: [{ outputs: [{ results: { message: { text: 'as form', sender_name: 'Form' } } }] }],
    });
  });

  test('a large request goes through the key-value store', async () => {
    const answer = await gateway.call('POST', '/api/v1/run/echo', { input_value: 'x'.repeat(100_000) });
    expect(answer.status).toBe(200);
    expect(gateway.executor.jobs.at(-1)).toMatchObject({
      request: null,
      durable: false,
      claimCheck: expect.any(String),
    });
  });

  test('a flow without data has a separate error in each form', async () => {
    const id = await gateway.createFlow({ name: 'nodata' });
    const simple = await gateway.call('POST', `/api/v1/run/${id}`, {});
    expect(simple.status).toBe(500);
    expect(JSON.parse((simple.json as { detail: string }).detail)).toMatchObject({
      message: `Flow ${id} has no data`,
    });
    expect(await gateway.call('POST', `/api/v1/run/advanced/${id}`, {})).toMatchObject({
      status: 404,
      json: { detail: `Flow ${id} has no data` },
    });
  });

  test('a changed flow runs in its new version at once', async () => {
    const id = await gateway.createFlow({ ...echo, endpoint_name: 'changing' });
    expect((await gateway.call('POST', '/api/v1/run/changing', { input_value: 'x' })).json).toMatchObject({
      outputs: [{ outputs: [{}] }],
    });
    await gateway.call('PATCH', `/api/v1/flows/${id}`, { data: nothing });
    expect((await gateway.call('POST', '/api/v1/run/changing', { input_value: 'x' })).json).toMatchObject({
      outputs: [{ outputs: [] }],
    });
    await gateway.call('DELETE', `/api/v1/flows/${id}`);
    expect((await gateway.call('POST', '/api/v1/run/changing', {})).status).toBe(404);
  });
});

describe('a run without a result', () => {
  const failure = (code: string, message = 'text') => ({ code, message, vertex: null, problems: [] });

  test('a failed component has a separate error text in each form', async () => {
    gateway.executor.handleJob = (takenJob) =>
      takenJob.final('failed', failure('component_failed', 'Error running graph: x'));
    const simple = await gateway.call('POST', '/api/v1/run/echo', {});
    expect(simple).toMatchObject({
      status: 500,
      json: {
        detail:
          '{"message":"Error running graph: x","traceback":null,"description":null,"code":null,"suggestion":null}',
      },
    });
    expect(simple.headers.get('x-error-code')).toBe('component_failed');
    expect(simple.headers.get('x-run-id')).toBeTruthy();
    expect(await gateway.call('POST', '/api/v1/run/advanced/echo', {})).toMatchObject({
      status: 500,
      json: { detail: 'Error running graph: x' },
    });
  });

  test.each([
    ['timed_out', failure('deadline_exceeded'), 504, 'deadline_exceeded'],
    ['cancelled', failure('cancelled'), 503, 'cancelled'],
    ['dead', failure('attempts_exhausted'), 500, 'attempts_exhausted'],
    ['failed', failure('internal', 'an internal detail'), 500, 'internal'],
  ] as const)(
    '%s is answered with its status and nothing from the inside',
    async (status, body, code, name) => {
      gateway.executor.handleJob = (takenJob) => takenJob.final(status, body);
      const answer = await gateway.call('POST', '/api/v1/run/echo', {});
      expect(answer.status).toBe(code);
      expect(answer.headers.get('x-error-code')).toBe(name);
      expect(answer.text).not.toContain('secret');
    },
  );

  test('a refused flow names each vertex', async () => {
    const problems = [{ vertexId: 'X-1', componentType: 'X', message: 'there is no component of this type' }];
    gateway.executor.handleJob = (takenJob) =>
      takenJob.final('failed', { ...failure('flow_refused'), problems });
    expect(await gateway.call('POST', '/api/v1/run/echo', {})).toMatchObject({
      status: 422,
      json: {
        detail: [{ type: 'flow_refused', loc: ['flow', 'X-1'], msg: problems[0]?.message, input: 'X' }],
      },
    });
  });

  test('a run past its deadline is 504', async () => {
    gateway.executor.handleJob = () => Promise.resolve();
    const answer = await gateway.call('POST', '/api/v1/run/echo', {});
    expect(answer.status).toBe(504);
    expect(answer.headers.get('x-run-id')).toBeTruthy();
  });

  test('runs beyond the limit of the gateway are refused at once', async () => {
    gateway.executor.handleJob = () => Promise.resolve();
    const answers = await Promise.all(
      Array.from({ length: 25 }, () => gateway.call('POST', '/api/v1/run/echo', {})),
    );
    const refused = answers.filter(({ headers }) => headers.get('x-error-code') === 'too_many_runs');
    expect(refused).toHaveLength(5);
    expect(refused[0]).toMatchObject({ status: 503 });
    expect(refused[0]?.headers.get('retry-after')).toBe('1');
  });

  test('a pool without an executor is reported within two seconds', async () => {
    await gateway.createFlow({
      name: 'elsewhere',
      endpoint_name: 'elsewhere',
      data: nothing,
      settings: { pool: 'gpu' },
    });
    const started = Date.now();
    const answer = await gateway.call('POST', '/api/v1/run/elsewhere', {});
    expect(answer).toMatchObject({
      status: 503,
      json: { detail: 'No executor of the pool "gpu" is running.' },
    });
    expect(Date.now() - started).toBeLessThan(2_000);
  });
});

describe('a streamed run', () => {
  const stream = '/api/v1/run/echo?stream=true';

  test('sends events as JSON objects with a blank line each, then the whole answer', async () => {
    const answer = await gateway.call('POST', stream, { input_value: 'žluť' });
    expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(answer.headers.get('x-run-id')).toBeTruthy();
    expect(answer.text).toMatch(/^\{"event": "add_message", "data": \{/);
    expect(answer.text).toContain('"\\u017elu\\u0165"');
    const events = eventsOf(answer.text);
    expect(events.map(({ event }) => event)).toEqual(['add_message', 'add_message', 'end']);
    expect(events[2]?.data).toMatchObject({
      result: { outputs: [{ outputs: [{ component_id: expect.any(String) }] }] },
    });
  });

  test('the advanced form streams when its body requests it', async () => {
    const answer = await gateway.call('POST', '/api/v1/run/advanced/echo', {
      inputs: [{ input_value: 'x' }],
      stream: true,
    });
    expect(eventsOf(answer.text).at(-1)).toMatchObject({ event: 'end', data: { result: { outputs: [{}] } } });
  });

  test('a second attempt is announced, and later frames of the first one are dropped', async () => {
    gateway.executor.handleJob = async ({ events, final }) => {
      await events([{ event: 'token', data: { chunk: 'a', id: '1' } }]);
      await events([{ event: 'token', data: { chunk: 'A', id: '1' } }], 2);
      await events([{ event: 'token', data: { chunk: 'lost', id: '1' } }], 1);
      await final('succeeded', { ...response, lost: true }, 1);
      await final('succeeded', response, 2);
    };
    const answer = await gateway.call('POST', stream, {});
    expect(eventsOf(answer.text)).toEqual([
      { event: 'token', data: { chunk: 'a', id: '1' } },
      { event: 'restart', data: { attempt: 2 } },
      { event: 'token', data: { chunk: 'A', id: '1' } },
      { event: 'end', data: { result: response } },
    ]);
  });

  test('several events of one frame are sent one by one', async () => {
    const tokens = ['a', 'b\n', 'c'].map((chunk) => ({ event: 'token', data: { chunk, id: '1' } }));
    gateway.executor.handleJob = async ({ events, final }) => {
      await events(tokens);
      await final('succeeded', response);
    };
    expect(eventsOf((await gateway.call('POST', stream, {})).text)).toEqual([
      ...tokens,
      { event: 'end', data: { result: response } },
    ]);
  });

  test('a failure after the first event is an event of the stream, and before it a status', async () => {
    const failure = { code: 'component_failed', message: 'boom', vertex: null, problems: [] };
    gateway.executor.handleJob = async ({ events, final }) => {
      await events([{ event: 'error', data: { text: 'boom' } }]);
      await final('failed', failure);
    };
    expect(eventsOf((await gateway.call('POST', stream, {})).text).at(-1)).toEqual({
      event: 'error',
      data: {
        error: '500: {"message":"boom","traceback":null,"description":null,"code":null,"suggestion":null}',
      },
    });
    gateway.executor.handleJob = (takenJob) => takenJob.final('failed', { ...failure, code: 'flow_refused' });
    expect((await gateway.call('POST', stream, {})).status).toBe(422);
  });

  test('an input that is given twice is refused, for streamed runs in the stream', async () => {
    const body = { input_value: 'a', tweaks: { 'ChatInput-x': { input_value: 'b' } } };
    const text = 'If you pass an input_value to the chat input, you cannot pass a tweak with the same name.';
    expect(await gateway.call('POST', '/api/v1/run/echo', body)).toMatchObject({
      status: 400,
      json: { detail: text },
    });
    const streamed = await gateway.call('POST', stream, body);
    expect(streamed.status).toBe(200);
    expect(eventsOf(streamed.text)).toEqual([{ event: 'error', data: { error: text } }]);
  });

  test('headers are sent soon even without an event', async () => {
    let finish = () => Promise.resolve();
    gateway.executor.handleJob = async ({ final }) => {
      finish = () => final('succeeded', response);
    };
    const { answer } = await open(stream, {});
    expect(answer.statusCode).toBe(200);
    await finish();
    const parts: Buffer[] = [];
    for await (const part of answer) parts.push(part as Buffer);
    expect(eventsOf(Buffer.concat(parts).toString())).toEqual([{ event: 'end', data: { result: response } }]);
  });
});

describe('a caller who disconnects', () => {
  const cancels: string[] = [];
  beforeAll(async () => {
    const { bus, names } = gateway;
    await bus.provision(controlTopology(names, 'listener'));
    await bus.consume(names.control('listener'), { prefetch: 10, noAck: true }, async ({ body }) => {
      const message = JSON.parse(body.toString()) as ControlMessage;
      if (message.kind === 'cancel') cancels.push(message.runId);
      return 'done';
    });
  });

  test.each([
    ['a whole answer', '/api/v1/run/echo'],
    ['a stream', '/api/v1/run/echo?stream=true'],
  ])('before %s arrives cancels the run', async (_, path) => {
    let runId = '';
    gateway.executor.handleJob = async ({ job }) => {
      runId = job.runId;
    };
    const controller = new AbortController();
    const headers = { 'x-api-key': TEST_KEY };
    const sent = gateway
      .fetch(gateway.url + path, { method: 'POST', headers, signal: controller.signal })
      .catch(() => null);
    await until(() => runId !== '');
    await pause(50);
    controller.abort();
    await sent;
    await until(() => cancels.includes(runId));
  });

  test('a reader that is too slow is disconnected, and its run is cancelled', async () => {
    const chunk = 'x'.repeat(60_000);
    let runId = '';
    let sending = true;
    gateway.executor.handleJob = async ({ job, events }) => {
      runId = job.runId;
      while (sending && !cancels.includes(runId)) {
        await events([{ event: 'token', data: { chunk, id: '1' } }]);
        await pause(1);
      }
    };
    const { answer } = await open('/api/v1/run/echo?stream=true', {});
    answer.pause();
    answer.on('error', () => undefined);
    await until(() => cancels.includes(runId));
    sending = false;
    answer.destroy();
  });

  test('only the owner of a run can cancel it', async () => {
    let runId = '';
    gateway.executor.handleJob = async ({ job }) => {
      runId = job.runId;
    };
    const running = gateway.call('POST', '/api/v1/run/echo', {});
    await until(() => runId !== '');
    expect((await gateway.call('GET', `/api/v1/runs/${runId}`)).json).toMatchObject({
      status: 'running',
      flow_id: echoId,
    });
    const other = (await gateway.call('POST', '/api/v1/users', { username: 'stranger' })).json as {
      api_key: string;
    };
    const stranger = { 'x-api-key': other.api_key };
    expect((await gateway.call('POST', `/api/v1/runs/${runId}/cancel`, undefined, stranger)).status).toBe(
      404,
    );
    expect((await gateway.call('GET', `/api/v1/runs/${runId}`, undefined, stranger)).status).toBe(404);
    expect(cancels).not.toContain(runId);
    expect((await gateway.call('POST', `/api/v1/runs/${runId}/cancel`)).status).toBe(202);
    await until(() => cancels.includes(runId));
    expect((await running).status).toBe(504);
  });
});

describe('a durable run', () => {
  test('an invalid key is refused', async () => {
    const refused = await gateway.call('POST', '/api/v1/run/echo', {}, { 'idempotency-key': 'two words' });
    expect(refused).toMatchObject({ status: 400 });
    expect(refused.headers.get('x-error-code')).toBe('idempotency_key_invalid');
  });

  test('can be required by the flow', async () => {
    await gateway.createFlow({ ...echo, endpoint_name: 'kept', settings: { durable: true } });
    expect((await gateway.call('POST', '/api/v1/run/kept', { input_value: 'x' })).status).toBe(200);
    expect(gateway.executor.jobs.at(-1)).toMatchObject({ durable: true, request: null });
  });

  test('a caller who does not wait gets the id of the run', async () => {
    const accepted = await gateway.call(
      'POST',
      '/api/v1/run/echo',
      { input_value: 'x' },
      { prefer: 'respond-async' },
    );
    expect(accepted).toMatchObject({
      status: 202,
      json: { status: 'in progress', run_id: expect.any(String) },
    });
    const location = accepted.headers.get('location') ?? '';
    expect((await gateway.call('GET', location)).json).toMatchObject({ lane: 'background', result: null });
    await until(
      async () => ((await gateway.call('GET', location)).json as { status: string }).status === 'queued',
    );
  });
});
