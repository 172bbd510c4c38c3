import { randomUUID } from 'node:crypto';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger, createMetrics, Health, readSettings } from '@millrace/service';
import { openStandalone, standaloneSettings } from '@millrace/standalone';
import { LangflowFixture } from '../testing/langflow-database.fixture';
import type { FixtureUser } from '../testing/langflow-database.fixture';
import { cli } from '../testing/test-shell';

const MESSAGES = 1_200;
const examples = join(__dirname, '../../../../examples');
const document = (name: string) =>
  (JSON.parse(readFileSync(join(examples, name), 'utf8')) as { data: unknown }).data;
const unknown = { nodes: [{ id: 'Mine-1', data: { type: 'Mine', node: { template: {} } } }], edges: [] };

let folder: string;
let langflow: LangflowFixture;
let [ann, bob]: FixtureUser[] = [];

interface Report {
  readonly dry_run: boolean;
  readonly counts: Readonly<Record<string, { moved: number; present: number; skipped: number }>>;
  readonly flows: readonly {
    name: string;
    verdict: string;
    vertices: Record<string, number>;
    reasons: string[];
  }[];
  readonly problems: readonly { kind: string; name: string; reason: string }[];
  readonly not_moved: readonly { what: string; count: number }[];
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-migrate-'));
  langflow = new LangflowFixture(join(folder, 'langflow'), 'a secret');
  ann = langflow.addUser('admin', { isAdmin: true, documents: [document('echo.json'), unknown] });
  bob = langflow.addUser('bob', { documents: [document('echo.json')] });
  langflow.addMessages(ann.flowIds[0]!, 'history', MESSAGES);
});

afterAll(() => {
  langflow.close();
  rmSync(folder, { recursive: true, force: true });
});

const target = (name: string) => join(folder, name);
const migrate = (to: string, ...words: string[]) =>
  cli(['migrate', '--from', langflow.file, '--to', target(to), ...words]);

/** Starts a server on a migrated data folder; the examples are not loaded. */
async function serve(name: string) {
  const environment = {
    PORT: '0',
    MILLRACE_DATA_DIRECTORY: target(name),
    MILLRACE_DURABILITY: 'process',
  };
  return openStandalone({
    settings: readSettings(standaloneSettings, environment),
    logger: createLogger({ name: 'test', level: 'silent' }),
    metrics: createMetrics(),
    health: new Health(),
    environment,
    advice: { command: 'millrace up', besidesAnother: '' },
    loadsExamples: false,
  });
}

test('a dry run reports how each flow runs and creates nothing', async () => {
  const { code, json } = await migrate('dry', '--dry-run', '--json');
  expect(code).toBe(0);
  const report = json<Report>();
  expect(report).toMatchObject({
    dry_run: true,
    counts: {
      users: { moved: 2 },
      flows: { moved: 3 },
      keys: { moved: 4 },
      variables: { moved: 4 },
      files: { moved: 4 },
      messages: { moved: MESSAGES },
    },
    not_moved: [{ what: 'triggers', count: 1 }],
  });
  const refused = report.flows.find(({ name }) => name === 'Flow 1');
  expect(refused).toMatchObject({ verdict: 'refused', vertices: { native: 0, refused: 1 } });
  expect(refused?.reasons).toEqual([expect.stringContaining('Mine')]);
  expect(report.flows.filter(({ verdict }) => verdict === 'runnable')).toHaveLength(2);
  expect(existsSync(target('dry'))).toBe(false);
});

test('a wrong secret key moves nothing and prints one sentence', async () => {
  const file = join(folder, 'wrong-key');
  writeFileSync(file, 'another secret');
  const { code, output, faults } = await migrate('wrong', '--secret-key-file', file);
  expect({ code, output }).toEqual({ code: 78, output: '' });
  expect(faults).toBe(
    'The secret key does not decrypt the keys and credentials of this Langflow; nothing was moved.\n',
  );
  expect(existsSync(target('wrong'))).toBe(false);
});

test('keys, flows, variables, files and messages are used as before; a second migration changes nothing', async () => {
  expect(await migrate('moved')).toMatchObject({ code: 0 });
  const again = await migrate('moved', '--json');
  expect(again.json<Report>().counts).toEqual({
    users: { moved: 0, present: 2, skipped: 0 },
    flows: { moved: 0, present: 3, skipped: 0 },
    keys: { moved: 0, present: 4, skipped: 0 },
    variables: { moved: 0, present: 4, skipped: 0 },
    files: { moved: 0, present: 4, skipped: 0 },
    messages: { moved: 0, present: MESSAGES, skipped: 0 },
  });
  const server = await serve('moved');
  try {
    const call = async (key: string, path: string, init: RequestInit = {}) =>
      fetch(server.url + path, {
        ...init,
        headers: { 'x-api-key': key, 'content-type': 'application/json' },
      });
    const get = async <T>(key: string, path: string) => (await (await call(key, path)).json()) as T;
    for (const { key, username, id, flowIds } of [ann!, bob!])
      for (const used of [key, `${key}-old`]) {
        expect(await get(used, '/api/v1/users/whoami')).toMatchObject({ id, username });
        const ran = await call(used, `/api/v1/run/flow-0-${username}`, {
          method: 'POST',
          body: JSON.stringify({ input_value: 'Hello' }),
        });
        expect(await ran.text()).toContain('Hello');
        expect((await call(used, `/api/v1/flows/${flowIds[0]}`)).status).toBe(200);
      }
    const flow = await get<Record<string, unknown>>(ann!.key, `/api/v1/flows/${ann!.flowIds[0]}`);
    expect(flow).toMatchObject({ tags: ['shop'], icon: 'Bot', locked: true, endpoint_name: 'flow-0-admin' });
    expect(flow['folder_id']).toMatch(/^[0-9a-f-]{36}$/);
    expect((await call(bob!.key, `/api/v1/flows/${ann!.flowIds[0]}`)).status).toBe(404);
    const variables = await get<{ name: string; value: string | null }[]>(ann!.key, '/api/v1/variables/');
    expect(variables.map(({ name, value }) => [name, value]).toSorted()).toEqual([
      ['SHOP_CITY', 'Graz of admin'],
      ['SHOP_KEY', null],
    ]);
    const files = await get<{ id: string; path: string }[]>(ann!.key, '/api/v2/files');
    expect(files.map(({ path }) => path)).toEqual([`${ann!.id}/letter.txt`]);
    expect(await (await call(ann!.key, `/api/v2/files/${files[0]!.id}`)).text()).toBe('letter of admin');
    const note = await call(ann!.key, `/api/v1/files/download/${ann!.flowIds[0]}/note.txt`);
    expect(await note.text()).toBe('note of admin');
    const newest = '/api/v1/monitor/messages?session_id=history&limit=200&offset=';
    expect(await get(ann!.key, `${newest}${MESSAGES - 200}`)).toHaveLength(200);
    expect(await get(ann!.key, `${newest}${MESSAGES}`)).toEqual([]);
    const entries = await get<{ entries: { detail: object }[] }>(
      ann!.key,
      '/api/v1/audit?action=key.created',
    );
    expect(entries.entries.filter(({ detail }) => 'migrated' in detail)).toHaveLength(4);
  } finally {
    await server.close();
  }
});

test('a record with a text that cannot be stored is skipped and named, and the others are moved', async () => {
  const source = new LangflowFixture(join(folder, 'unstorable'), 'a secret');
  const described = (description: string) => ({ nodes: [], edges: [], description });
  source.addUser('eve', {
    documents: [described('half \ud800'), described('zero \u0000'), document('echo.json')],
  });
  source.close();
  const words = ['migrate', '--from', source.file, '--to', target('unstorable'), '--json'];
  const report = (await cli(words)).json<Report>();
  expect(report.counts).toMatchObject({ flows: { moved: 1, skipped: 2 }, keys: { moved: 2 } });
  const reason = (found: string) => `it contains a character that cannot be stored (${found})`;
  const problems = report.problems.filter(({ kind }) => kind === 'flows');
  expect(problems.toSorted((one, other) => one.name.localeCompare(other.name))).toEqual([
    { kind: 'flows', name: 'Flow 0', reason: reason('unpaired surrogate') },
    { kind: 'flows', name: 'Flow 1', reason: reason('NUL character') },
  ]);
});

test('a migration that was interrupted continues', async () => {
  const interrupted = new AbortController();
  const started = cli(['migrate', '--from', langflow.file, '--to', target('interrupted')], {
    signal: interrupted.signal,
  });
  await waitForFile(join(target('interrupted'), 'encryption-key'));
  interrupted.abort();
  expect(await started).toMatchObject({ code: 130, faults: 'Interrupted.\n' });
  const { counts } = (await migrate('interrupted', '--json')).json<Report>();
  const totals = Object.fromEntries(
    Object.entries(counts).map(([kind, { moved, present }]) => [kind, moved + present]),
  );
  expect(totals).toEqual({ users: 2, flows: 3, keys: 4, variables: 4, files: 4, messages: MESSAGES });
});

test('records of users with another id here go to the user of the same name', async () => {
  const server = await serve('occupied');
  await server.close();
  const { code, output } = await migrate('occupied');
  expect(code).toBe(0);
  expect(output).toContain('users: admin: exists here with another id and gets the records of this user');
  const again = await serve('occupied');
  try {
    const headers = { 'x-api-key': ann!.key };
    const answer = await fetch(`${again.url}/api/v1/users/whoami`, { headers });
    const { id, username } = (await answer.json()) as { id: string; username: string };
    expect(username).toBe('admin');
    expect(id).not.toBe(ann!.id);
    const files = (await (await fetch(`${again.url}/api/v2/files`, { headers })).json()) as {
      path: string;
    }[];
    expect(files.map(({ path }) => path)).toEqual([`${id}/letter.txt`]);
  } finally {
    await again.close();
  }
});

test('over HTTP, keys and secret values stay behind, each by name', async () => {
  const messages = Array.from({ length: 401 }, (_, index) => ({
    id: randomUUID(),
    timestamp: new Date(1_700_000_000_000 + index).toISOString(),
    sender: 'User',
    sender_name: 'User',
    session_id: 'remote',
    text: String(index),
  }));
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://langflow');
    const offset = Number(searchParams.get('offset'));
    const end = messages.length - offset;
    const page = messages.slice(Math.max(0, end - Number(searchParams.get('limit'))), end).reverse();
    const user_id = ann!.id;
    const answers: Record<string, unknown> = {
      '/api/v1/users/whoami': { id: user_id, username: 'remote', is_superuser: true },
      '/api/v1/projects/': [],
      '/api/v1/flows/': [{ id: ann!.flowIds[0], name: 'Flow' }],
      [`/api/v1/flows/${ann!.flowIds[0]}`]: {
        id: ann!.flowIds[0],
        user_id,
        name: 'Flow',
        data: document('echo.json'),
        endpoint_name: 'remote',
      },
      '/api/v1/api_key/': {
        api_keys: [{ id: bob!.id, name: 'deploy', api_key: 'sk-x***', is_active: true }],
      },
      '/api/v1/variables/': [
        { id: bob!.id, name: 'CITY', type: 'Generic', value: 'Graz', default_fields: [] },
        { id: ann!.flowIds[1], name: 'TOKEN', type: 'Credential', value: null, default_fields: [] },
      ],
      '/api/v2/files': [],
      '/api/v1/monitor/messages': page,
    };
    const answer = request.headers['x-api-key'] === 'sk-remote' ? answers[pathname] : undefined;
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer ?? { detail: 'unknown' }));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  const words = ['migrate', '--from', `http://127.0.0.1:${port}`, '--to', target('remote'), '--json'];
  const { code, json } = await cli(words, { environment: { LANGFLOW_API_KEY: 'sk-remote' } });
  server.close();
  server.closeAllConnections();
  expect(code).toBe(0);
  expect(json<Report>()).toMatchObject({
    counts: {
      users: { moved: 1 },
      flows: { moved: 1 },
      keys: { skipped: 1 },
      variables: { moved: 1, skipped: 1 },
      messages: { moved: 401 },
    },
    problems: [
      { kind: 'keys', name: 'deploy of remote' },
      { kind: 'variables', name: 'TOKEN of remote' },
    ],
  });
});

test('what is no Langflow is refused, and a damaged secret is named', async () => {
  const other = join(folder, 'other.db');
  writeFileSync(other, 'no database');
  expect(await cli(['migrate', '--from', other])).toMatchObject({ code: 66 });
  expect(await cli(['migrate'])).toMatchObject({ code: 64 });
  const copy = join(folder, 'copy');
  cpSync(join(folder, 'langflow'), copy, { recursive: true });
  rmSync(join(copy, 'secret_key'));
  expect(await cli(['migrate', '--from', join(copy, 'langflow.db'), '--to', target('none')])).toMatchObject({
    code: 78,
    faults: expect.stringContaining('LANGFLOW_SECRET_KEY'),
  });
});

async function waitForFile(file: string): Promise<void> {
  while (!existsSync(file)) await new Promise((resolve) => setImmediate(resolve));
}
