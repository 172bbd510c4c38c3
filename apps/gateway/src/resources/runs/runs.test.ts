import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '@millrace/service/testing';
import { gatewayForTests } from '../../testing/test-gateway';

const echo = JSON.parse(readFileSync(join(__dirname, '../../../../../examples/echo.json'), 'utf8')) as Record<
  string,
  unknown
>;
const nothing = { nodes: [], edges: [] };

let echoId: string;
const gateway = gatewayForTests({
  limits: { gatewayConcurrentRuns: 20 },
});
beforeAll(async () => {
  echoId = await gateway.createFlow({ ...echo, endpoint_name: 'echo' });
}, 60_000);
afterEach(() => {
  gateway.executor.handleJob = null;
});

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
      json: { detail: [{ type: 'uuid_parsing', loc: ['path', 'flow_id'] }] },
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

  test('a body with the default content type of curl is read as JSON or as a form, or refused', async () => {
    const send = (body: string) =>
      gateway.call('POST', '/api/v1/run/echo', body, { 'content-type': 'application/x-www-form-urlencoded' });
    for (const body of [
      ' {"input_value":"a&b=c"}',
      '\ufeff{"input_value":"a&b=c"}',
      'input_value=a%26b%3Dc',
    ]) {
      expect(await send(body)).toMatchObject({
        status: 200,
        json: { outputs: [{ inputs: { input_value: 'a&b=c' } }] },
      });
    }
    const tweaks = encodeURIComponent('{"Chat Output":{"sender_name":"Form"}}');
    expect((await send(`input_value=x&tweaks=${tweaks}`)).json).toMatchObject({
      outputs: [{ outputs: [{ results: { message: { sender_name: 'Form' } } }] }],
    });
    const form = new FormData();
    form.append('message', 'hello');
    expect(await gateway.call('POST', '/api/v1/run/echo', form)).toMatchObject({ status: 422 });
    for (const body of [
      'hello',
      'message=hello',
      '{"input_value":"x"',
      'input_value=x&tweaks={',
      '[1]',
      '"x"',
      'ä b',
    ])
      expect(await send(body)).toMatchObject({ status: 422 });
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

test.each([null, [], '"text"', 12])('a body %j lacks the members that a body can have', async (body) => {
  const missing = (...names: readonly string[]) => ({
    status: 422,
    json: { detail: names.map((name) => ({ type: 'missing', loc: ['body', name] })) },
  });
  expect(await gateway.call('POST', '/api/v1/run/echo', body)).toMatchObject(
    missing('input_request', 'context'),
  );
  expect(await gateway.call('POST', '/api/v1/run/advanced/echo', body)).toMatchObject(
    missing('inputs', 'outputs', 'tweaks', 'stream', 'session_id'),
  );
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

  test('a tweak of a wrong kind is a status, and the only event of a stream', async () => {
    gateway.executor.handleJob = ({ final }) => final('failed', failure('tweak_invalid', 'not a list'));
    const simple = await gateway.call('POST', '/api/v1/run/echo', {});
    expect([simple.status, JSON.parse(String((simple.json as { detail: string }).detail))]).toMatchObject([
      500,
      { message: 'not a list' },
    ]);
    const streamed = await gateway.call('POST', '/api/v1/run/echo?stream=true', {});
    expect([streamed.status, streamed.text.trim()]).toEqual([
      200,
      '{"event": "error", "data": {"error": "not a list"}}',
    ]);
    const body = { flow_id: echoId, input_value: 'x' };
    expect(await gateway.call('POST', '/api/v2/workflows', body)).toMatchObject({
      status: 400,
      json: {
        detail: {
          code: 'INVALID_FLOW_DATA',
          message: 'Failed to build graph from flow data: not a list',
          flow_id: echoId,
        },
      },
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
    const answer = await gateway.call('POST', '/api/v1/run/echo', {}, { 'x-deadline-seconds': '1' });
    expect(answer.status).toBe(504);
    expect(answer.headers.get('x-run-id')).toBeTruthy();
  });

  test('runs beyond the limit of the gateway are refused at once', async () => {
    const ends: (() => Promise<void>)[] = [];
    gateway.executor.handleJob = async ({ final }) => {
      ends.push(() => final('succeeded', { outputs: [], session_id: 's' }));
    };
    let answered = 0;
    const calls = Array.from({ length: 25 }, () =>
      gateway.call('POST', '/api/v1/run/echo', {}).finally(() => (answered += 1)),
    );
    await until(() => ends.length === 20 && answered === 5);
    for (const end of ends) await end();
    const answers = await Promise.all(calls);
    const refused = answers.filter(({ headers }) => headers.get('x-error-code') === 'too_many_runs');
    expect(refused).toHaveLength(5);
    expect(refused[0]).toMatchObject({ status: 503 });
    expect(refused[0]?.headers.get('retry-after')).toBe('1');
  });

  test('a pool without an executor is reported before the deadline of the run', async () => {
    await gateway.createFlow({
      name: 'elsewhere',
      endpoint_name: 'elsewhere',
      data: nothing,
      settings: { pool: 'gpu' },
    });
    const answer = await gateway.call('POST', '/api/v1/run/elsewhere', {});
    expect(answer).toMatchObject({
      status: 503,
      json: { detail: 'No executor of the pool "gpu" is running.' },
    });
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
