import { until } from '@millrace/service/testing';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { forAllTests } from '@millrace/testing';
import { startTestSystem } from './test-system';

const system = forAllTests(startTestSystem);

async function startGateway(): Promise<string> {
  const { ready } = await system.startService({
    app: 'gateway',
    environment: {
      PORT: '0',
      INGEST_URL: `http://127.0.0.1:${system.ingestPort}`,
      MILLRACE_BOOTSTRAP_API_KEY: system.key,
    },
  });
  return `http://127.0.0.1:${String(ready['port'])}`;
}

test('a call of a tool is cancelled at another gateway than that of the call', async () => {
  const other = await startGateway();
  const { id: flowId } = await system.upload('chat');
  const tool = { mcp_enabled: true, action_name: 'slow_tool' };
  const changed = await system.post(`/api/v1/flows/${flowId}`, tool, { method: 'PATCH' });
  expect(changed.status).toBe(200);

  const path = '/api/v1/mcp/streamable';
  const cancelledAt: string[] = [];
  const transport = new StreamableHTTPClientTransport(new URL(`${system.url}${path}`), {
    requestInit: { headers: { 'x-api-key': system.key } },
    // As a load balancer that sends the notification to another gateway than the call.
    fetch: (url, init) => {
      if (!String(init?.body).includes('notifications/cancelled')) return fetch(url, init);
      cancelledAt.push(other);
      return fetch(`${other}${path}`, init);
    },
  });
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  const stop = new AbortController();
  let isRunning = false;
  const call = client.callTool(
    { name: 'slow_tool', arguments: { input_value: '[[tokens=2000 interval=100]]' } },
    undefined,
    { signal: stop.signal, onprogress: () => (isRunning = true), timeout: 110_000 },
  );
  const refused = expect(call).rejects.toThrow();
  await until(() => isRunning);
  stop.abort();
  await refused;

  const statuses = async () =>
    (await system.database.query('SELECT status FROM runs WHERE flow_id = $1', [flowId])).rows as unknown[];
  await until(async () => (await statuses()).length > 0);
  expect(await statuses()).toEqual([{ status: 'cancelled' }]);
  expect(cancelledAt).toEqual([other]);
  await client.close();
}, 120_000);
