import { createMetrics, Health } from '@millrace/service';
import { startHealthServer } from '../index';

async function startServer(health: Health) {
  const metrics = createMetrics();
  const server = await startHealthServer({ port: 0, host: '127.0.0.1', health, metrics });
  const ask = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`);
    return { status: response.status, body: await response.text() };
  };
  return { ask, close: () => Promise.all([server.close(), metrics.close()]) };
}

test('liveness ignores dependencies; readiness checks each of them', async () => {
  const health = new Health();
  let brokerIsUp = true;
  health.add(
    'broker',
    async () => {
      if (!brokerIsUp) throw new Error('amqp://guest:secret99@broker is unreachable');
    },
    { timeoutMilliseconds: 500 },
  );
  const { ask, close } = await startServer(health);
  expect((await ask('/readyz')).status).toBe(200);
  brokerIsUp = false;
  for (const path of ['/health', '/healthz']) expect((await ask(path)).status).toBe(200);
  const { status, body } = await ask('/readyz');
  expect(status).toBe(503);
  expect(JSON.parse(body)).toMatchObject({ ready: false, checks: { broker: { ok: false } } });
  expect(body).toContain('is unreachable');
  expect(body).not.toContain('secret99');
  expect((await ask('/metrics')).status).toBe(200);
  expect((await ask('/elsewhere')).status).toBe(404);
  await close();
});
