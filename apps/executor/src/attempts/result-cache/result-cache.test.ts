import type { CachePolicy } from '@millrace/messages';
import type { Database } from '@millrace/database';
import type { RunRequest } from '@millrace/flow';
import { KeyValueUnavailableError } from '@millrace/key-value';
import { UserStore } from '@millrace/runs';
import { until } from '@millrace/service/testing';
import { flowData, node } from '@millrace/testing';
import { idFlow, modelFlow, wordFlow } from '../../testing/cached-flows';
import { openCacheTestStores, openCacheTestExecutor } from '../../testing/cache-test-executor';
import type { TestRunRequest, CacheTestExecutor } from '../../testing/cache-test-executor';
import { slowModel } from '../../testing/slow-model';
import type { SlowModel } from '../../testing/slow-model';
import { openTestDatabase } from '../../testing/test-installation';

const policy: CachePolicy = { maximumAgeSeconds: 600, ttlSeconds: 600, byAuthor: true };

let database: Database;
let stores: Awaited<ReturnType<typeof openCacheTestStores>>;
let words: TestRunRequest;
let ids: TestRunRequest;
let asking: TestRunRequest;
let model: SlowModel;
let executor: CacheTestExecutor;

beforeAll(async () => {
  database = await openTestDatabase();
  stores = await openCacheTestStores(database);
  const userId = (await new UserStore({ database }).ensureFirst()).id;
  const asked = async (document: unknown): Promise<TestRunRequest> => {
    const flow = await stores.flows.create(userId, {
      name: `flow ${JSON.stringify(document).length}`,
      document,
    });
    return { userId, flowId: flow.id, request: saying('hello'), policy };
  };
  words = await asked(wordFlow('word'));
  ids = await asked(idFlow());
  asking = await asked(modelFlow());
}, 60_000);

beforeEach(async () => {
  model = slowModel();
  executor = await openCacheTestExecutor(stores, { fetch: model.fetch });
});

afterEach(() => executor.close());

afterAll(async () => {
  await stores.resources.close();
  await database.close();
});

function saying(inputValue: string): RunRequest {
  return {
    form: 'simple',
    inputs: [{ components: [], inputValue, type: 'chat' }],
    outputs: { by: 'type', type: 'chat' },
    tweaks: {},
    stream: false,
    sessionId: 'session',
    globalVariables: {},
  };
}

/** Executes runs one after the other; resolves to their use of the cache. */
async function uses(...runs: readonly TestRunRequest[]): Promise<readonly unknown[]> {
  const seen: unknown[] = [];
  for (const asked of runs) seen.push((await executor.run(asked)).cache);
  return seen;
}

test.each(['é'.repeat(20_000), 'short'])(
  'an answer has as many bytes as the limit, and not one more',
  async (text) => {
    const document = flowData(
      [
        node('ChatInput-i', { input_value: '', session_id: '' }, 'message'),
        node('ChatOutput-o', { input_value: '', session_id: '' }, 'message'),
      ],
      ['ChatInput-i.message > ChatOutput-o.input_value'],
    );
    const { userId } = words;
    const { id: flowId } = await stores.flows.create(userId, { name: `echo ${text.length}`, document });
    const asked = { userId, flowId, request: saying(text) };
    const { body } = await executor.run(asked);
    const length = Buffer.byteLength(body.toString());
    expect(await executor.run({ ...asked, maximumAnswerBytes: length })).toMatchObject({
      status: 'succeeded',
    });
    expect(await executor.run({ ...asked, maximumAnswerBytes: length - 1 })).toMatchObject({
      failure: { code: 'output_too_large', message: `The response is larger than ${length - 1} bytes.` },
    });
  },
);

test('a run without a cache policy is executed and not cached', async () => {
  const { userId, flowId, request } = words;
  const plain = { userId, flowId, request };
  expect(await uses(plain, plain, words, words)).toEqual([undefined, undefined, 'miss', 'hit']);
});

test('a result that can differ is never reused', async () => {
  expect(await uses(ids, ids)).toEqual(['miss', 'miss']);
});

test('the answer of a model is reused only if the author of the flow allows it', async () => {
  const byCaller = { ...asking, policy: { ...policy, byAuthor: false } };
  const answers = (): void => model.answer('well');
  const timer = setInterval(answers, 5);
  try {
    expect(await uses(asking, asking, byCaller, byCaller)).toEqual(['miss', 'hit', 'miss', 'miss']);
  } finally {
    clearInterval(timer);
  }
  expect(model.requestCount).toBe(3);
});

test('a run that accepts no cached result produces a new one for later runs', async () => {
  const fresh = { ...words, policy: { ...policy, maximumAgeSeconds: 0 } };
  expect(await uses(words, fresh, fresh, words)).toEqual(['miss', 'miss', 'miss', 'hit']);
});

test('equal runs at the same time ask a model once', async () => {
  const runs = Array.from({ length: 5 }, () => executor.run(asking));
  await until(() => model.waiting > 0, 'the model was not asked');
  model.answer('together');
  const outcomes = await Promise.all(runs);
  expect(outcomes.map(({ cache }) => cache).sort()).toEqual(['hit', 'hit', 'hit', 'hit', 'miss']);
  expect(outcomes.every(({ body }) => body.toString().includes('together'))).toBe(true);
  expect(new Set(outcomes.flatMap(({ messages }) => messages.map(({ id }) => id))).size).toBe(10);
  expect(model.requestCount).toBe(1);
});

test('when the first of equal runs fails, the others are executed', async () => {
  const runs = Array.from({ length: 3 }, () => executor.run(asking));
  await until(() => model.waiting === 1, 'the model was not asked');
  model.refuse();
  await until(() => model.waiting === 2, 'the others did not ask the model');
  model.answer('at last');
  const outcomes = await Promise.all(runs);
  expect(outcomes.map(({ status }) => status).sort()).toEqual(['failed', 'succeeded', 'succeeded']);
  expect(model.requestCount).toBe(3);
});

test('a run that waits for an equal one can be cancelled, and the other continues', async () => {
  const abort = new AbortController();
  const first = executor.run(asking);
  await until(() => model.waiting === 1, 'the model was not asked');
  const second = executor.run({ ...asking, signal: abort.signal });
  abort.abort('cancelled');
  expect(await second).toMatchObject({ status: 'cancelled' });
  model.answer('still here');
  expect(await first).toMatchObject({ status: 'succeeded', cache: 'miss' });
});

test('without the key-value store every run is executed', async () => {
  executor.keyValue.isAway = true;
  expect(await uses(words, words)).toEqual(['miss', 'miss']);
  executor.keyValue.isAway = false;
  const failed = { error: expect.any(KeyValueUnavailableError), runId: expect.any(String) };
  expect(executor.logged('could not read a cached result')).toEqual([failed, failed]);
  const archived = executor.logged('key-value store unavailable; reading sessions from the database');
  expect(archived).toContainEqual({ key: expect.stringContaining('session:') });
  const text = await stores.metrics.prometheusText();
  expect(text).toMatch(/^millrace_result_cache_total\{outcome="unavailable"\} [1-9]/m);
  expect(await uses(words, words)).toEqual(['miss', 'hit']);
});

test('an invalid cache entry is ignored', async () => {
  await executor.run(words);
  const [place = ''] = await executor.keyValue.keys('result:', 10);
  for (const text of ['{', 'null', '{"key":"other"}']) {
    await executor.keyValue.set(place, text);
    expect(await uses(words, words)).toEqual(['miss', 'hit']);
  }
});

test('the number of cached results of a user is limited, and large results are not cached', async () => {
  const bounded = await openCacheTestExecutor(stores, {
    fetch: model.fetch,
    bounds: { maximumEntries: 2, maximumCharacters: 20_000 },
  });
  for (let index = 0; index < 20; index += 1) {
    await bounded.run({ ...words, request: saying(`text ${index}`) });
  }
  expect(await bounded.keyValue.keys('result:', 100)).toHaveLength(2);
  const large = { ...words, request: saying('x'.repeat(20_000)) };
  await bounded.run(large);
  expect(await bounded.run(large)).toMatchObject({ cache: 'miss' });
  await bounded.close();
});

test('another version of the executor does not use the results of this one', async () => {
  await executor.run(words);
  const [place = ''] = await executor.keyValue.keys('result:', 10);
  const later = await openCacheTestExecutor(stores, { fetch: model.fetch, version: 'later' });
  await later.keyValue.set(place, (await executor.keyValue.get(place)) ?? '');
  expect(await later.run(words)).toMatchObject({ cache: 'miss' });
  await later.close();
});
