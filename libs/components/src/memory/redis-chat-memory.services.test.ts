import { randomUUID } from 'node:crypto';
import type { ComponentContext } from '@millrace/flow';
import { flow, node, runFlow, edge } from '../testing/flow-under-test.fixture';
import { dial, resourcesWith } from '../testing/run-resources.fixture';
import { callRedis } from '../integrations/redis/redis-connection';

test('stores messages on a real Redis server', async () => {
  const url = new URL(process.env['REDIS_URL'] ?? '');
  const place = {
    host: url.hostname,
    port: Number(url.port || 6379),
    database: '1',
    username: url.username,
    password: decodeURIComponent(url.password),
    key_prefix: 'millrace-test-',
  };
  const sessionId = randomUUID();
  const run = (type: string, values: Readonly<Record<string, unknown>>) =>
    runFlow(
      flow(
        [node('Redis-r', 'RedisChatMemory', place), node('Used-u', type, values)],
        [edge('Redis-r', 'memory', 'Used-u', 'memory')],
      ),
      { show: 'Used-u', sessionId, resources: resourcesWith({ dial }) },
    );
  expect((await run('Memory', {})).text).toBe('');
  await run('StoreMessage', { message: 'Moin', sender: 'User' });
  await run('StoreMessage', { message: 'x'.repeat(100_000) });
  expect((await run('Memory', {})).text).toBe(`User: Moin\nAI: ${'x'.repeat(100_000)}`);
  const asking = { resources: resourcesWith({ dial }), signal: new AbortController().signal };
  const context = { ...asking, remainingMilliseconds: () => 10_000 } as ComponentContext;
  const whole = { ...place, database: 1 };
  expect(await callRedis(whole, [['DEL', `millrace-test-${sessionId}`]], context)).toBe(1);
});
