import { gatewayForTests } from '../testing/test-gateway';

const STREAM = '/api/v1/run/sse?stream=true';
const ACCEPT = { accept: 'text/event-stream' };

const gateway = gatewayForTests();
beforeAll(async () => {
  await gateway.createFlow({ name: 'sse', endpoint_name: 'sse', data: { nodes: [], edges: [] } });
}, 60_000);
afterEach(() => (gateway.executor.handleJob = null));

test('a streamed run is sent as numbered server-sent events to callers that ask for them', async () => {
  gateway.executor.handleJob = async ({ events, final }) => {
    await events([{ event: 'token', data: { chunk: 'ž', id: '1' } }]);
    await events([
      { event: 'token', data: { chunk: 'a', id: '1' } },
      { event: 'token', data: { chunk: 'b', id: '1' } },
    ]);
    await final('succeeded', { session_id: 's', outputs: [] });
  };
  const answer = await gateway.call('POST', STREAM, {}, ACCEPT);
  expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  expect(answer.text).toBe(
    [
      'id: 1\nevent: token\ndata: {"chunk": "\\u017e", "id": "1"}',
      'id: 2\nevent: token\ndata: {"chunk": "a", "id": "1"}',
      'id: 3\nevent: token\ndata: {"chunk": "b", "id": "1"}',
      'id: 4\nevent: end\ndata: {"result": {"session_id": "s", "outputs": []}}\n\n',
    ].join('\n\n'),
  );
  const plain = await gateway.call('POST', STREAM, {}, { accept: 'application/json' });
  expect(plain.text.startsWith('{"event": "token", "data": {"chunk": "\\u017e", "id": "1"}}\n\n{')).toBe(
    true,
  );
});

test('a failure within the stream is also an event', async () => {
  gateway.executor.handleJob = async ({ events, final }) => {
    await events([{ event: 'token', data: { chunk: 'a', id: '1' } }]);
    await final('failed', { code: 'component_failed', message: 'no', vertex: null, problems: [] });
  };
  const answer = await gateway.call('POST', STREAM, {}, ACCEPT);
  expect(answer.text).toMatch(/\n\nid: 2\nevent: error\ndata: \{"error": "500: .*\}\n\n$/);
});

test.each(['/logs', '/logs-stream'])(
  '%s answers as Langflow does when log retrieval is disabled',
  async (path) => {
    expect(await gateway.call('GET', path)).toMatchObject({
      status: 501,
      json: { detail: 'Log retrieval is disabled' },
    });
    expect((await fetch(gateway.url + path)).status).toBe(403);
  },
);
