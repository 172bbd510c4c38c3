import type { CachePolicy } from '@millrace/contracts';
import type { Database } from '@millrace/database';
import type { RunRequest } from '@millrace/flow';
import { UserStore } from '@millrace/runs';
import { idFlow, modelFlow, wordFlow } from '../testing/cached-flows';
import { cachedGround, cachedWorld } from '../testing/cached-world';
import type { AskedOf, CachedWorld } from '../testing/cached-world';
import { slowModel } from '../testing/slow-model';
import type { SlowModel } from '../testing/slow-model';
import { openTestDatabase, until } from '../testing/test-installation';

const policy: CachePolicy = { maximumAgeSeconds: 600, ttlSeconds: 600, byAuthor: true };

let database: Database;
let ground: Awaited<ReturnType<typeof cachedGround>>;
let words: AskedOf;
let ids: AskedOf;
let asking: AskedOf;
let model: SlowModel;
let world: CachedWorld;

beforeAll(async () => {
  database = await openTestDatabase();
  ground = await cachedGround(database);
  const userId = (await new UserStore({ database }).ensureFirst()).id;
  const asked = async (document: unknown): Promise<AskedOf> => {
    const flow = await ground.flows.create(userId, {
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
  world = await cachedWorld(ground, { fetch: model.fetch });
});

afterEach(() => world.close());

afterAll(async () => {
  await ground.resources.close();
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

/** What came of the cache in runs one after the other. */
async function uses(...runs: readonly AskedOf[]): Promise<readonly unknown[]> {
  const seen: unknown[] = [];
  for (const asked of runs) seen.push((await world.run(asked)).cache);
  return seen;
}

test('a run without a policy does its work and leaves nothing', async () => {
  const { userId, flowId, request } = words;
  const plain = { userId, flowId, request };
  expect(await uses(plain, plain, words, words)).toEqual([undefined, undefined, 'miss', 'hit']);
});

test('what may be another answer is never given again', async () => {
  expect(await uses(ids, ids)).toEqual(['miss', 'miss']);
});

test('what a model has answered is given again only where the author has it so', async () => {
  const byCaller = { ...asking, policy: { ...policy, byAuthor: false } };
  const answers = (): void => model.answer('well');
  const timer = setInterval(answers, 5);
  try {
    expect(await uses(asking, asking, byCaller, byCaller)).toEqual(['miss', 'hit', 'miss', 'miss']);
  } finally {
    clearInterval(timer);
  }
  expect(model.asked).toBe(3);
});

test('who takes no old result makes a new one, which others get', async () => {
  const fresh = { ...words, policy: { ...policy, maximumAgeSeconds: 0 } };
  expect(await uses(words, fresh, fresh, words)).toEqual(['miss', 'miss', 'miss', 'hit']);
});

test('equal runs at the same time ask a model once', async () => {
  const runs = Array.from({ length: 5 }, () => world.run(asking));
  await until(() => model.waiting > 0, 'nobody asked the model');
  model.answer('together');
  const ended = await Promise.all(runs);
  expect(ended.map(({ cache }) => cache).sort()).toEqual(['hit', 'hit', 'hit', 'hit', 'miss']);
  expect(ended.every(({ body }) => body.includes('together'))).toBe(true);
  expect(new Set(ended.flatMap(({ messages }) => messages.map(({ id }) => id))).size).toBe(10);
  expect(model.asked).toBe(1);
});

test('when the first of them fails, the others do their work', async () => {
  const runs = Array.from({ length: 3 }, () => world.run(asking));
  await until(() => model.waiting === 1, 'nobody asked the model');
  model.refuse();
  await until(() => model.waiting === 2, 'the others did not ask');
  model.answer('at last');
  const ended = await Promise.all(runs);
  expect(ended.map(({ status }) => status).sort()).toEqual(['failed', 'succeeded', 'succeeded']);
  expect(model.asked).toBe(3);
});

test('who waits for an equal run can be cancelled, and the other goes on', async () => {
  const abort = new AbortController();
  const first = world.run(asking);
  await until(() => model.waiting === 1, 'nobody asked the model');
  const second = world.run({ ...asking, signal: abort.signal });
  abort.abort('cancelled');
  expect(await second).toMatchObject({ status: 'cancelled' });
  model.answer('still here');
  expect(await first).toMatchObject({ status: 'succeeded', cache: 'miss' });
});

test('without the store every run does its work', async () => {
  world.keyValue.isAway = true;
  expect(await uses(words, words)).toEqual(['miss', 'miss']);
  world.keyValue.isAway = false;
  expect(await uses(words, words)).toEqual(['miss', 'hit']);
});

test('what is no kept result counts as none', async () => {
  await world.run(words);
  const [place = ''] = await world.keyValue.keys('result:', 10);
  for (const text of ['{', 'null', '{"key":"other"}']) {
    await world.keyValue.set(place, text);
    expect(await uses(words, words)).toEqual(['miss', 'hit']);
  }
});

test('a user has so many results and no more, and large ones are not kept', async () => {
  const bounded = await cachedWorld(ground, {
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

test('another version of the executor makes its own results', async () => {
  await world.run(words);
  const [place = ''] = await world.keyValue.keys('result:', 10);
  const later = await cachedWorld(ground, { fetch: model.fetch, version: 'later' });
  await later.keyValue.set(place, (await world.keyValue.get(place)) ?? '');
  expect(await later.run(words)).toMatchObject({ cache: 'miss' });
  await later.close();
});
