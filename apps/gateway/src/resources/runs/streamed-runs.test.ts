import { request as send } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { controlTopology } from '@millrace/messages';
import type { ControlMessage } from '@millrace/messages';
import { until } from '@millrace/service/testing';
import { gatewayForTests, TEST_KEY } from '../../testing/test-gateway';

const echo = JSON.parse(readFileSync(join(__dirname, '../../../../../examples/echo.json'), 'utf8')) as Record<
  string,
  unknown
>;
const response = { session_id: 's', outputs: [] };

let echoId: string;
const gateway = gatewayForTests();
beforeAll(async () => {
  echoId = await gateway.createFlow({ ...echo, endpoint_name: 'echo' });
}, 60_000);
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

  test('S6: a reader that is too slow is disconnected, and its run is cancelled', async () => {
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
    let end = () => Promise.resolve();
    gateway.executor.handleJob = async ({ job, final }) => {
      runId = job.runId;
      end = () => final('cancelled', { code: 'cancelled', message: '', vertex: null, problems: [] });
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
    await end();
    expect((await running).status).toBe(503);
  });
});
