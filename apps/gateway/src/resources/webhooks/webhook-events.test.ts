import { controlTopology, FLOW_HEADER } from '@millrace/messages';
import type { ControlMessage, FlowEvent } from '@millrace/messages';
import { gatewayForTests, openTestGateway, TEST_KEY } from '../../testing/test-gateway';

let flowId: string;
const messages: ControlMessage[] = [];

const gateway = gatewayForTests();
beforeAll(async () => {
  flowId = await gateway.createFlow({
    name: 'watched',
    endpoint_name: 'watched',
    data: { nodes: [], edges: [] },
  });
  await gateway.bus.provision(controlTopology(gateway.names, 'an-executor'));
  const queue = gateway.names.control('an-executor');
  await gateway.bus.consume(queue, { prefetch: 10, noAck: true }, async ({ body }) => {
    messages.push(JSON.parse(body.toString()) as ControlMessage);
    return 'done';
  });
}, 60_000);

/** Reads a stream of events until it contains this text. */
async function watch(reference: string) {
  const answer = await fetch(`${gateway.url}/api/v1/webhook-events/${reference}?x-api-key=${TEST_KEY}`);
  const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
  let received = '';
  const decoder = new TextDecoder();
  return {
    answer,
    async until(text: string): Promise<string> {
      while (!received.includes(text)) {
        const { done, value } = await reader.read();
        if (done) break;
        received += decoder.decode(value, { stream: true });
      }
      return received;
    },
    leave: () => reader.cancel(),
  };
}

function publishEvent(event: FlowEvent, flow = flowId): Promise<void> {
  const watched = messages.filter((message) => message.kind === 'watch-flow').at(-1);
  return gateway.bus.publish({
    exchange: '',
    routingKey: watched?.kind === 'watch-flow' ? watched.replyTo : '',
    body: Buffer.from(JSON.stringify(event)),
    persistent: false,
    mandatory: true,
    headers: { [FLOW_HEADER]: flow },
  });
}

test('a watcher of a flow receives its events from executors', async () => {
  const [one, other] = [await watch(flowId), await watch('watched')];
  expect(one.answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  expect(await one.until('\n\n')).toBe(
    `event: connected\ndata: {"flow_id":"${flowId}","flow_name":"watched"}\n\n`,
  );
  expect(messages.at(-1)).toMatchObject({ kind: 'watch-flow', flowId });
  await publishEvent(
    { event: 'end', data: { run_id: 'of another flow' } },
    '00000000-0000-4000-8000-000000000001',
  );
  await publishEvent({ event: 'end', data: { success: true, run_id: 'a-run' } });
  const event = 'event: end\ndata: {"success":true,"run_id":"a-run"}\n\n';
  for (const watcher of [one, other]) {
    const received = await watcher.until('a-run"}\n\n');
    expect(received.endsWith(event)).toBe(true);
    expect(received).not.toContain('another flow');
    await watcher.leave();
  }
});

test('other users cannot watch a flow', async () => {
  const path = '/api/v1/webhook-events/watched';
  const without = await fetch(gateway.url + path);
  expect([without.status, await without.json()]).toEqual([
    403,
    { detail: 'Missing or invalid credentials (cookie or API key).' },
  ]);
  expect((await gateway.call('GET', '/api/v1/webhook-events/unknown')).json).toEqual({
    detail: 'Flow identifier unknown not found',
  });
});

test('a stream ends when its key is deleted', async () => {
  const created = (await gateway.call('POST', '/api/v1/api_key/', { name: 'watcher' })).json as {
    id: string;
    api_key: string;
  };
  const answer = await fetch(`${gateway.url}/api/v1/webhook-events/watched`, {
    headers: { 'x-api-key': created.api_key },
  });
  const whole = answer.text();
  await gateway.call('DELETE', `/api/v1/api_key/${created.id}`);
  expect(await whole).toContain('event: connected');
});

test('a stream ends when its gateway stops', async () => {
  // A close that waits for the stream exceeds the deadline of this test.
  const closing = await openTestGateway({ environment: { MILLRACE_SHUTDOWN_SECONDS: '3600' } });
  await closing.createFlow({ name: 'w', endpoint_name: 'w', data: { nodes: [], edges: [] } });
  const answer = await fetch(`${closing.url}/api/v1/webhook-events/w`, {
    headers: { 'x-api-key': TEST_KEY },
  });
  const whole = answer.text();
  await closing.gateway.close();
  expect(await whole).toContain('event: connected');
  await closing.close();
}, 60_000);
