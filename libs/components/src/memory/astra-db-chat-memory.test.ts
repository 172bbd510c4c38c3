import { setTimeout as pause } from 'node:timers/promises';
import { failureOf, flow, node, runFlow, edge } from '../testing/flow-under-test.fixture';
import type { RunUnderTest } from '../testing/flow-under-test.fixture';
import { serviceForEachTest, startFakeService } from '../integrations/http/fake-service.fixture';
import { createAstraMemoryHandler } from '../integrations/astra/astra-memory-server.fixture';

const service = serviceForEachTest(() => startFakeService(createAstraMemoryHandler()));

type Values = Readonly<Record<string, unknown>>;
const run = (
  type: string,
  values: Values,
  token = 'AstraCS:good',
  sessionId = 'session',
): Promise<RunUnderTest> => {
  const astra = { token, api_endpoint: service.url, collection_name: 'memories' };
  const document = flow(
    [node('Astra-a', 'AstraDBChatMemory', astra), node('Used-u', type, values)],
    [edge('Astra-a', 'memory', 'Used-u', 'memory')],
  );
  return runFlow(document, { show: 'Used-u', sessionId });
};

test('stores the messages of a session in a collection, which is created when missing', async () => {
  expect((await run('Memory', {})).text).toBe('');
  for (const message of ['one', 'two', 'three']) {
    await run('StoreMessage', { message, sender: 'User' });
    // The order of messages of the same millisecond is undefined.
    await pause(2);
  }
  expect((await run('Memory', {})).text).toBe('User: one\nUser: two\nUser: three');
  expect((await run('Memory', {}, 'AstraCS:good', 'another')).text).toBe('');
  const stored = service.asked.find(({ text }) => text.includes('"insertOne"') && text.includes('two'));
  expect(stored).toMatchObject({
    path: '/api/json/v1/default_keyspace/memories',
    json: { insertOne: { document: { session_id: 'session', timestamp: expect.any(Number) as number } } },
  });
});

test('reports an error of Astra without the token', async () => {
  const failure = await failureOf(run('Memory', {}, 'AstraCS:wrong'));
  expect(failure).toContain('Astra DB answered with status 401 Unauthorized: UNAUTHENTICATED: Invalid token');
  expect(failure).not.toContain('AstraCS:wrong');
});
