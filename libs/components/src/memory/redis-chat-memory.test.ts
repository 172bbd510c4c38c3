import { failureOf, flow, node, runFlow, edge } from '../testing/flow-under-test.fixture';
import type { RunUnderTest } from '../testing/flow-under-test.fixture';
import { dial, resourcesWith } from '../testing/run-resources.fixture';
import { startRedisServer } from '../integrations/redis/redis-server.fixture';
import type { RedisServerUnderTest } from '../integrations/redis/redis-server.fixture';

let server: RedisServerUnderTest;
beforeEach(async () => {
  server = await startRedisServer();
});
afterEach(() => server.close());

type Values = Readonly<Record<string, unknown>>;
const run = (type: string, values: Values, place: Values = {}): Promise<RunUnderTest> => {
  const redis = {
    host: '127.0.0.1',
    port: server.port,
    database: '2',
    password: 'right',
    key_prefix: 'mill-',
  };
  const document = flow(
    [node('Redis-r', 'RedisChatMemory', { ...redis, ...place }), node('Used-u', type, values)],
    [edge('Redis-r', 'memory', 'Used-u', 'memory')],
  );
  return runFlow(document, { show: 'Used-u', sessionId: 'session', resources: resourcesWith({ dial }) });
};

test('stores messages at the configured place and reads them back', async () => {
  await run('StoreMessage', { message: 'Wie fließt es?', sender: 'User', sender_name: 'User' });
  const { stored } = await run('StoreMessage', { message: 'It flows.' });
  expect(stored).toEqual([]);
  expect(server.lists.get('2/mill-session')?.map((record) => JSON.parse(record) as unknown)).toMatchObject([
    { type: 'ai', data: { content: 'It flows.' } },
    { type: 'human', data: { content: 'Wie fließt es?' } },
  ]);
  expect((await run('Memory', {})).text).toBe('User: Wie fließt es?\nAI: It flows.');
  expect((await run('Memory', { order: 'Descending', n_messages: 1 })).text).toBe('AI: It flows.');
  expect((await run('Memory', { sender_type: 'User' })).text).toBe('User: Wie fließt es?');
});

test('reports an error of Redis without the password', async () => {
  const failure = await failureOf(run('Memory', {}, { password: 'a-wrong-one' }));
  expect(failure).toContain('Redis refused AUTH: WRONGPASS invalid username-password pair');
  expect(failure).not.toContain('a-wrong-one');
  expect(await failureOf(run('Memory', {}, { password: '' }))).toContain('NOAUTH Authentication required.');
});

test('reports invalid settings and an unreachable server', async () => {
  expect(await failureOf(run('Memory', {}, { database: 'second' }))).toContain('"second" is not the number');
  const { port } = server;
  await server.close();
  expect(await failureOf(run('Memory', {}, { port }))).toContain('Redis (127.0.0.1) could not be reached');
  server = await startRedisServer();
});
