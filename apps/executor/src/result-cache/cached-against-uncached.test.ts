import { createHash, randomUUID } from 'node:crypto';
import type { Database } from '@millrace/database';
import type { RunRequest } from '@millrace/flow';
import { UserStore } from '@millrace/runs';
import fc from 'fast-check';
import { memoryFlow, modelFlow, variableFlow, wordFlow } from '../testing/cached-flows';
import { cachedGround, cachedWorld } from '../testing/cached-world';
import type { CachedWorld, EndedRun } from '../testing/cached-world';
import { openTestDatabase } from '../testing/test-installation';

const CASES = Number(process.env['MILLRACE_CACHE_CASES'] ?? 200);
const SEED = process.env['MILLRACE_CACHE_SEED'];
const MILLISECONDS_A_CASE = 300;
const MARK =
  /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d\.\d{3,6}(?: UTC|Z)/g;

const flowNames = ['words', 'variable', 'memory', 'stored memory', 'model'] as const;

let database: Database;
let ground: Awaited<ReturnType<typeof cachedGround>>;
let cached: CachedWorld;
let uncached: CachedWorld;
let users: readonly string[];
const flows = new Map<string, string>();

beforeAll(async () => {
  database = await openTestDatabase();
  ground = await cachedGround(database);
  cached = await cachedWorld(ground, { fetch: model });
  uncached = await cachedWorld(ground, { fetch: model });
  const store = new UserStore({ database });
  users = [(await store.ensureFirst()).id, (await store.create({ username: 'other', isAdmin: false })).id];
  for (const userId of users) {
    await ground.variables.create(userId, { name: 'WORD', value: 'w0', type: 'Generic', defaultFields: [] });
  }
  const documents = [wordFlow('one'), variableFlow(), memoryFlow(false), memoryFlow(true), modelFlow()];
  for (const [index, name] of flowNames.entries()) {
    const flow = await ground.flows.create(users[0] ?? '', { name, document: documents[index] });
    // Its second version differs where all of them can.
    await ground.flows.update(users[0] ?? '', flow.id, { document: renamed(documents[index]) });
    flows.set(name, flow.id);
  }
}, 60_000);

afterAll(async () => {
  await cached.close();
  await uncached.close();
  await ground.resources.close();
  await database.close();
});

/** The same question always has the same answer, which shows all that was asked. */
const model: typeof fetch = async (_address, init) => {
  const content = createHash('sha256').update(String(init?.body)).digest('hex');
  return Response.json({
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
  });
};

/** One run that is asked for; what is left out is as in all others of its case. */
interface Asked {
  readonly user: number;
  readonly session: number;
  readonly flowVersion: number;
  readonly byAuthor: boolean;
  readonly request: Omit<RunRequest, 'sessionId'>;
  /** What the user's variable says from now on. */
  readonly variable: string;
}

const plain: Asked = {
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

const member = (...requests: readonly Partial<RunRequest>[]): fc.Arbitrary<Partial<Asked>> =>
  fc.constantFrom(...requests.map((changed) => ({ request: { ...plain.request, ...changed } })));

const input = (changes: Partial<RunRequest['inputs'][number]>): RunRequest['inputs'] => [
  { components: [], inputValue: 'hello', type: 'chat', ...changes },
];

/** What is unlike in a run: mostly nothing or one thing, because equal runs are what is looked for, and nearly equal ones. */
const changes: fc.Arbitrary<Partial<Asked>> = fc.oneof(
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
    { inputs: input({ components: ['nobody'] }) },
  ),
  member(
    { outputs: { by: 'type', type: 'debug' } },
    { outputs: { by: 'component', component: 'ChatInput-i' } },
  ),
  member(
    { tweaks: { sender_name: 'Somebody' } },
    { tweaks: { 'ChatOutput-o': { sender_name: 'One' }, ChatOutput: { sender_name: 'Other' } } },
    { tweaks: { ChatOutput: { sender_name: 'Other' }, 'ChatOutput-o': { sender_name: 'One' } } },
  ),
);

test(
  'a cached run answers and stores what an uncached one does, but for ids and times',
  async () => {
    const seen = { hits: 0 };
    const steps = fc.array(fc.tuple(changes, changes), { minLength: 2, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...flowNames), steps, async (flow, given) => {
        const asked = given.map(([one, other]) => ({ ...plain, ...one, ...other }));
        await compare(flow, asked, seen);
      }),
      { numRuns: CASES, ...(SEED === undefined ? {} : { seed: Number(SEED) }) },
    );
    // A cache that keeps nothing would pass as well.
    expect(seen.hits).toBeGreaterThan(CASES / 10);
  },
  60_000 + CASES * MILLISECONDS_A_CASE,
);

async function compare(
  flow: (typeof flowNames)[number],
  runs: readonly Asked[],
  seen: { hits: number },
): Promise<void> {
  // Sessions of this case alone, and with them results; the name is the same in both worlds.
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
    expect(withoutMarks(one.body)).toBe(withoutMarks(other.body));
    expect(one.status).toBe(other.status);
    expect(withoutMarks(JSON.stringify(one.messages))).toBe(withoutMarks(JSON.stringify(other.messages)));
    expectOwn(one, userId, began, made);
    if (one.cache !== 'hit') continue;
    seen.hits += 1;
    // Only an author allows that what a model said is given again.
    expect(byAuthor || flow === 'words' || flow === 'variable').toBe(true);
  }
}

/** Its messages are new ones of this run and of this moment. */
function expectOwn(run: EndedRun, userId: string, began: number, made: Set<string>): void {
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

/** Each id as the number of its first appearance: which of them are the same stays to be seen. */
function withoutMarks(text: string): string {
  const numbers = new Map<string, number>();
  return text.replace(MARK, (mark) => {
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
  const [variable] = await ground.variables.list(userId);
  await ground.variables.update(userId, variable?.id ?? '', { value });
}

function renamed(document: unknown): unknown {
  return JSON.parse(JSON.stringify(document).replaceAll('"AI"', '"AI 2"').replaceAll('"one"', '"two"'));
}
