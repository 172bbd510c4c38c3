import { createMetrics, Health, startHealthServer } from '../index';

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
  health.add('broker', async () => {
    if (!brokerIsUp) throw new Error('amqp://guest:secret99@broker is unreachable');
  }, { timeoutMilliseconds: 500 }); // prettier-ignore
  const { ask, close } = await startServer(health);
  expect((await ask('/readyz')).status).toBe(200);
  brokerIsUp = false;
  expect((await ask('/healthz')).status).toBe(200);
  const { status, body } = await ask('/readyz');
  expect(status).toBe(503);
  expect(JSON.parse(body)).toMatchObject({ ready: false, checks: { broker: { ok: false } } });
  expect(body).toContain('is unreachable');
  expect(body).not.toContain('secret99');
  expect((await ask('/metrics')).status).toBe(200);
  expect((await ask('/elsewhere')).status).toBe(404);
  await close();
});

test('a check fails when it does not answer in time or throws', async () => {
  const health = new Health();
  health.add('frozen', () => new Promise(() => undefined), { timeoutMilliseconds: 30 });
  health.add('broken', () => { throw new Error('no'); }, { timeoutMilliseconds: 30 }); // prettier-ignore
  expect(await health.ready()).toMatchObject({
    ready: false,
    checks: {
      frozen: { ok: false, error: 'frozen did not answer within 30 ms' },
      broken: { ok: false, error: 'no' },
    },
  });
});

test('an optional check is reported but does not affect readiness', async () => {
  const health = new Health();
  health.add('broker', () => Promise.reject(new Error('away')), { timeoutMilliseconds: 30, isNeeded: false });
  expect(await health.ready()).toMatchObject({ ready: true, checks: { broker: { ok: false } } });
  health.add('database', () => Promise.reject(new Error('away')), { timeoutMilliseconds: 30 });
  expect(await health.ready()).toMatchObject({ ready: false });
});

test('is not ready while shutting down', async () => {
  const health = new Health();
  expect((await health.ready()).ready).toBe(true);
  health.beginShutdown();
  expect((await health.ready()).ready).toBe(false);
});

test('concurrent requests share one round of checks', async () => {
  const health = new Health();
  let rounds = 0;
  health.add('database', async () => void (rounds += 1), { timeoutMilliseconds: 100 });
  await Promise.all(Array.from({ length: 20 }, () => health.ready()));
  expect(rounds).toBe(1);
});
