import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger, createMetrics, Health, readSettings, withLangflowSettings } from '@millrace/service';
import { openStandalone, standaloneSettings } from '@millrace/standalone';
import type { Standalone } from '@millrace/standalone';
import { cli } from '../testing/test-shell';

const echo = JSON.parse(readFileSync(join(__dirname, '../../../../examples/echo.json'), 'utf8')) as object;
const MANIFEST = `
owner: admin
settings:
  greeter: { pool: default, durable: true }
variables:
  - { name: REGION, type: Generic, value: north }
  - { name: MODEL_KEY, from_environment: SECRET_MODEL_KEY }
  - { name: OTHER_KEY, from_file: other.key }
triggers:
  - { flow: greeter, name: nightly, kind: schedule, config: { cron: 0 3 * * *, timezone: Europe/Berlin } }
`;
let folder: string;
let server: Standalone;
let environment: Record<string, string>;

/** Starts a server that gives its user the flows of a folder, as LANGFLOW_LOAD_FLOWS_PATH says. */
async function serve(flows: string): Promise<Standalone> {
  const { environment: variables } = withLangflowSettings(standaloneSettings, {
    PORT: '0',
    MILLRACE_DATA_DIRECTORY: join(folder, 'data'),
    MILLRACE_DURABILITY: 'process',
    LANGFLOW_LOAD_FLOWS_PATH: flows,
  });
  return openStandalone({
    settings: readSettings(standaloneSettings, variables),
    logger: createLogger({ name: 'test', level: 'silent' }),
    metrics: createMetrics(),
    health: new Health(),
    environment: variables,
    advice: { command: 'millrace up', besidesAnother: '' },
    loadsExamples: false,
  });
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-apply-'));
  const loaded = join(folder, 'loaded');
  mkdirSync(loaded);
  writeFileSync(join(loaded, 'old.json'), JSON.stringify({ ...echo, name: 'Old', endpoint_name: 'old' }));
  server = await serve(loaded);
  const key = readFileSync(join(folder, 'data', 'api-key'), 'utf8').trim();
  environment = { MILLRACE_URL: server.url, MILLRACE_API_KEY: key, SECRET_MODEL_KEY: 'sk-one' };
  mkdirSync(join(folder, 'code', 'flows'), { recursive: true });
  writeFileSync(join(folder, 'code', 'millrace.yaml'), MANIFEST);
  writeFileSync(join(folder, 'code', 'other.key'), 'sk-two\n');
  writeFlow('Greeter');
});

afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

function writeFlow(name: string): void {
  const file = join(folder, 'code', 'flows', 'greeter.json');
  writeFileSync(file, JSON.stringify({ ...echo, name, endpoint_name: 'greeter' }));
}

const apply = (words: readonly string[], more: { input?: string; variables?: Record<string, string> } = {}) =>
  cli(['apply', join(folder, 'code'), ...words], {
    environment: { ...environment, ...more.variables },
    input: more.input ?? '',
  });

const actions = (json: { changes: { action: string; kind: string; name: string }[] }) =>
  json.changes.map(({ action, kind, name }) => `${action} ${kind} ${name}`);

test('LANGFLOW_LOAD_FLOWS_PATH gives the flows of a folder to the first user at the start', async () => {
  expect(await cli(['run', 'old', 'Hello'], { environment })).toMatchObject({
    code: 0,
    output: expect.stringContaining('Hello'),
  });
});

test('a folder is planned and applied, and then nothing differs, also no credential', async () => {
  const planned = await apply(['--dry-run', '--json']);
  expect(planned).toMatchObject({ code: 1, faults: '' });
  const all = [
    'create variable REGION',
    'create variable MODEL_KEY',
    'create variable OTHER_KEY',
    'create flow greeter',
    'create trigger greeter/nightly',
  ];
  expect(actions(planned.json())).toEqual(all);
  const applied = await apply(['--json']);
  expect([applied.faults, applied.code]).toEqual(['', 0]);
  expect(applied.output).not.toMatch(/sk-one|sk-two/);
  expect(actions(applied.json())).toEqual(all);
  expect(await apply(['--dry-run'])).toMatchObject({ code: 0, output: '0 to change, 5 unchanged\n' });
  const variables = { SECRET_MODEL_KEY: 'sk-three' };
  expect(actions((await apply(['--json'], { variables })).json())).toEqual(['set variable MODEL_KEY']);
  expect(actions((await apply(['--json'], { variables })).json())).toEqual([]);
  expect(actions((await apply(['--json'])).json())).toEqual(['set variable MODEL_KEY']);
  expect(await cli(['run', 'greeter', 'Hello'], { environment })).toMatchObject({ code: 0 });
});

test('a change of a flow, of a setting and of a trigger is found by name', async () => {
  writeFlow('Greeter, renamed');
  writeFileSync(
    join(folder, 'code', 'millrace.yaml'),
    MANIFEST.replace('durable: true', 'concurrency: 2').replace('0 3 *', '0 4 *').replace('north', 'south'),
  );
  const { json } = await apply(['--json']);
  expect(json<{ changes: unknown[] }>().changes).toEqual(
    expect.arrayContaining([
      { kind: 'flow', name: 'greeter', action: 'change', places: ['name changed', 'settings changed'] },
      { kind: 'trigger', name: 'greeter/nightly', action: 'change', places: ['config'] },
      { kind: 'variable', name: 'REGION', action: 'change', places: ['value'] },
    ]),
  );
  // A setting that the folder lacks is removed, so that nothing differs afterwards.
  expect(actions((await apply(['--json'])).json())).toEqual([]);
});

test('what the folder does not name is deleted only with --prune and a confirmation', async () => {
  const refused = await apply(['--prune'], { input: 'no\n' });
  expect(refused).toMatchObject({ code: 64, faults: 'Nothing was changed.\n' });
  expect(refused.output).toContain('delete flow old');
  expect((await cli(['flows', 'list'], { environment })).output).toContain('old');
  expect(await apply(['--prune'], { input: 'yes\n' })).toMatchObject({ code: 0 });
  expect((await cli(['flows', 'list'], { environment })).output).not.toContain('old');
});

test('a folder that is wrong, of another owner, or without a value changes nothing', async () => {
  expect(await apply([], { variables: { SECRET_MODEL_KEY: '' } })).toMatchObject({
    code: 66,
    faults: expect.stringContaining('SECRET_MODEL_KEY is not set or empty'),
  });
  const file = join(folder, 'code', 'millrace.yaml');
  for (const [text, reason] of [
    [MANIFEST.replace('owner: admin', 'owner: ann'), /belongs to the user "ann", and the API key to "admin"/],
    [MANIFEST.replace('variables:', 'varables:'), /additional properties: varables/],
    [MANIFEST.replace('greeter: {', 'greter: {'), /settings\.greter names no flow/],
    [MANIFEST.replace('flow: greeter', 'flow: greter'), /there is no flow "greter"/],
    ['{', /cannot be read/],
  ] as const) {
    writeFileSync(file, text);
    expect(await apply([])).toMatchObject({ code: 66, output: '', faults: expect.stringMatching(reason) });
  }
});
