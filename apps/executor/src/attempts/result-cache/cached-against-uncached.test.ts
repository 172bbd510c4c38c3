import { createHash, randomUUID } from 'node:crypto';
import type { Database } from '@millrace/database';
import type { RunRequest } from '@millrace/flow';
import { UserStore } from '@millrace/runs';
import { propertyCases, testSeed } from '@millrace/service/testing';
import fc from 'fast-check';
import { memoryFlow, modelFlow, variableFlow, wordFlow } from '../../testing/cached-flows';
import { openCacheTestStores, openCacheTestExecutor } from '../../testing/cache-test-executor';
import type { CacheTestExecutor, TestRunOutcome } from '../../testing/cache-test-executor';
import { openTestDatabase } from '../../testing/test-installation';

const CASES = propertyCases(200);
/** With fewer cases, none may ask for a kept result. */
const ENOUGH_CASES = 100;
const MILLISECONDS_A_CASE = 300;
const ID_OR_TIMESTAMP =
  /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d\.\d{3,6}(?: UTC|Z)/g;

const flowNames = ['words', 'variable', 'memory', 'stored memory', 'model'] as const;

let database: Database;
let stores: Awaited<ReturnType<typeof openCacheTestStores>>;
let cached: CacheTestExecutor;
let uncached: CacheTestExecutor;
let users: readonly string[];
const flows = new Map<string, string>();

beforeAll(async () => {
  database = await openTestDatabase();
  stores = await openCacheTestStores(database);
  cached = await openCacheTestExecutor(stores, { fetch: model });
  uncached = await openCacheTestExecutor(stores, { fetch: model });
  const store = new UserStore({ database });
  users = [(await store.ensureFirst()).id, (await store.create({ username: 'other', isAdmin: false })).id];
  for (const userId of users) {
    await stores.variables.create(userId, { name: 'WORD', value: 'w0', type: 'Generic', defaultFields: [] });
  }
  const documents = [wordFlow('one'), variableFlow(), memoryFlow(false), memoryFlow(true), modelFlow()];
  for (const [index, name] of flowNames.entries()) {
    const flow = await stores.flows.create(users[0] ?? '', { name, document: documents[index] });
    // The second version of each flow has another sender name and another text.
    await stores.flows.update(users[0] ?? '', flow.id, { document: renamed(documents[index]) });
    flows.set(name, flow.id);
  }
}, 60_000);

afterAll(async () => {
  await cached.close();
  await uncached.close();
  await stores.resources.close();
  await database.close();
});

/** A model that answers equal requests equally, with a digest of the whole request. */
const model: typeof fetch = async (_address, init) => {
  const content = createHash('sha256').update(String(init?.body)).digest('hex');
  return Response.json({
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
  });
};

/** A requested run. */
interface RequestedRun {
  readonly user: number;
  readonly session: number;
  readonly flowVersion: number;
  readonly byAuthor: boolean;
  readonly request: Omit<RunRequest, 'sessionId'>;
  /** The new value of the user's variable. */
  readonly variable: string;
}

const plain: RequestedRun = {
  user: 0,
  session: 0,
  flowVersion: 1,
  byAuthor: true,
  request: {
    form: 'simple',
    inputs: [{ components: [], inputValue: 'hello', type: 'chat' }],
    outputs: { by: 'type', type: 'chat' },
    tweaks: {},
    stream: false,
    globalVariables: {},
  },
  variable: 'w0',
};

const member = (...requests: readonly Partial<RunRequest>[]): fc.Arbitrary<Partial<RequestedRun>> =>
  fc.constantFrom(...requests.map((changed) => ({ request: { ...plain.request, ...changed } })));

const input = (changes: Partial<RunRequest['inputs'][number]>): RunRequest['inputs'] => [
  { components: [], inputValue: 'hello', type: 'chat', ...changes },
];

/** Differences of a run: mostly none or one, because equal and almost equal runs are of interest. */
const changes: fc.Arbitrary<Partial<RequestedRun>> = fc.oneof(
  { weight: 6, arbitrary: fc.constant({}) },
  fc.constant({ user: 1 }),
  fc.constant({ session: 1 }),
  fc.constant({ flowVersion: 2 }),
  fc.constant({ byAuthor: false }),
  fc.constant({ variable: 'w1' }),
  member({ form: 'advanced' }, { globalVariables: { WORD: 'sent' } }, { files: ['flow/picture.txt'] }),
  member(
    { inputs: [] },
    { inputs: input({ inputValue: 'bye' }) },
    { inputs: input({ components: ['unknown'] }) },
  ),
  member(
    { outputs: { by: 'type', type: 'debug' } },
    { outputs: { by: 'component', component: 'ChatInput-i' } },
  ),
  member(
    { tweaks: { sender_name: 'Another' } },
    { tweaks: { 'ChatOutput-o': { sender_name: 'One' }, ChatOutput: { sender_name: 'Other' } } },
    { tweaks: { ChatOutput: { sender_name: 'Other' }, 'ChatOutput-o': { sender_name: 'One' } } },
  ),
);

test(
  'a cached run answers and stores the same as an uncached one, except ids and times',
  async () => {
    const seen = { hits: 0 };
    const steps = fc.array(fc.tuple(changes, changes), { minLength: 2, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...flowNames), steps, async (flow, given) => {
        const asked = given.map(([one, other]) => ({ ...plain, ...one, ...other }));
        await compare(flow, asked, seen);
      }),
      { numRuns: CASES, seed: testSeed() },
    );
    // A cache that never stores a result would pass as well.
    if (CASES >= ENOUGH_CASES) expect(seen.hits).toBeGreaterThan(CASES / 10);
  },
  60_000 + CASES * MILLISECONDS_A_CASE,
);

async function compare(
  flow: (typeof flowNames)[number],
  runs: readonly RequestedRun[],
  seen: { hits: number },
): Promise<void> {
  // Sessions and results of this case only; both executors use the same session name.
  const name = randomUUID().slice(0, 8);
  const flowId = flows.get(flow) ?? '';
  const made = new Set<string>();
  for (const { user, session, flowVersion, byAuthor, request, variable } of runs) {
    const userId = users[user] ?? '';
    await setVariable(userId, variable);
    const asked = { userId, flowId, flowVersion, request: { ...request, sessionId: `${name}-${session}` } };
    const began = Date.now();
    const one = await cached.run({ ...asked, policy: { maximumAgeSeconds: 600, ttlSeconds: 600, byAuthor } });
    const other = await uncached.run(asked);
    expect(withoutIdsAndTimes(one.body.toString())).toBe(withoutIdsAndTimes(other.body.toString()));
    expect(one.status).toBe(other.status);
    expect(withoutIdsAndTimes(JSON.stringify(one.messages))).toBe(
      withoutIdsAndTimes(JSON.stringify(other.messages)),
    );
    expectOwn(one, userId, began, made);
    if (one.cache !== 'hit') continue;
    seen.hits += 1;
    // Only the author of a flow can allow that the output of a model is reused.
    expect(byAuthor || flow === 'words' || flow === 'variable').toBe(true);
  }
}

/** Expects the messages of a run to be new, to belong to it, and to have the current time. */
function expectOwn(run: TestRunOutcome, userId: string, began: number, made: Set<string>): void {
  expect(made.has(run.runId)).toBe(false);
  for (const { id, runId, userId: owner, timestamp, sessionMetadata } of run.messages) {
    expect({ isNew: !made.has(id), runId, owner }).toEqual({ isNew: true, runId: run.runId, owner: userId });
    expect(sessionMetadata).toEqual({ graph_run_id: run.runId });
    expect(timestamp.getTime()).toBeGreaterThanOrEqual(began);
    expect(timestamp.getTime()).toBeLessThanOrEqual(Date.now() + 1);
    made.add(id);
  }
  made.add(run.runId);
}

/** Replaces each id by the number of its first appearance, so that equal ids stay equal. */
function withoutIdsAndTimes(text: string): string {
  const numbers = new Map<string, number>();
  return text.replace(ID_OR_TIMESTAMP, (mark) => {
    if (mark.includes(':')) return 'a time';
    const number = numbers.get(mark) ?? numbers.size;
    numbers.set(mark, number);
    return `id ${number}`;
  });
}

const values = new Map<string, string>();

async function setVariable(userId: string, value: string): Promise<void> {
  if (values.get(userId) === value) return;
  values.set(userId, value);
  const [variable] = await stores.variables.list(userId);
  await stores.variables.update(userId, variable?.id ?? '', { value });
}

function renamed(document: unknown): unknown {
  return JSON.parse(JSON.stringify(document).replaceAll('"AI"', '"AI 2"').replaceAll('"one"', '"two"'));
}
