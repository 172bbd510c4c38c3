import { readFileSync, mkdtempSync, statSync, writeFileSync, chmodSync } from 'node:fs';
import { join } from 'node:path';
import { strToU8, zipSync } from 'fflate';
import { forAllTests, freePort } from '@millrace/testing';
import { openCliServer } from '../testing/cli-server.fixture';
import type { CliServer } from '../testing/cli-server.fixture';
import { cli } from '../testing/test-shell';

const echo = join(__dirname, '../../../../examples/echo.json');
let folder: string;
let key: string;
let environment: CliServer['environment'];

const server = forAllTests(openCliServer);
beforeAll(async () => {
  ({ folder, key, environment } = server);
});

const run = (...words: string[]) => cli(words, { environment });

test('login stores a profile of mode 0600 that the other commands use; its key is never printed', async () => {
  const loggedIn = await cli(['login', '--url', server.url], { environment, input: `${key}\n` });
  expect(loggedIn).toMatchObject({ code: 0, output: `Profile default: ${server.url}, user admin\n` });
  const file = join(folder, 'config/millrace/profiles/default.json');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const shown = [
    await run('profile', 'list'),
    await run('profile', 'show', '--json'),
    await run('keys', 'list'),
  ];
  for (const { code, output, faults } of shown) {
    expect(code).toBe(0);
    expect(output + faults).not.toContain(key);
  }
  chmodSync(file, 0o644);
  expect(await run('keys', 'list')).toMatchObject({
    code: 78,
    faults: expect.stringContaining(`run chmod 600 ${file}`),
  });
  chmodSync(file, 0o600);
});

test('a refused key, a closed port and a server without a profile have their exit codes', async () => {
  const wrong = { ...environment, MILLRACE_URL: server.url, MILLRACE_API_KEY: 'sk-wrong' };
  expect(await cli(['keys', 'list'], { environment: wrong })).toMatchObject({ code: 77, output: '' });
  const closed = {
    ...environment,
    MILLRACE_URL: `http://127.0.0.1:${await freePort()}`,
    MILLRACE_API_KEY: 'sk-wrong',
  };
  const refused = await cli(['keys', 'list'], { environment: closed });
  expect(refused).toMatchObject({ code: 69, faults: expect.stringContaining('ECONNREFUSED') });
  expect(await run('keys', 'list', '--profile', 'nowhere')).toMatchObject({ code: 78 });
  // A profile on the command line is the server, whatever the environment names.
  expect((await cli(['keys', 'list', '--profile', 'default'], { environment: closed })).code).toBe(0);
  // A key is not sent to a server that it does not belong to.
  expect(await run('keys', 'list', '--url', 'http://127.0.0.1:1')).toMatchObject({ code: 78 });
  const elsewhere = {
    ...environment,
    XDG_CONFIG_HOME: join(folder, 'none'),
    MILLRACE_DATA_DIRECTORY: folder,
  };
  expect(
    await cli(['flows', 'import', echo, '--url', 'http://127.0.0.1:1/'], { environment: elsewhere }),
  ).toMatchObject({
    code: 78,
    faults: expect.stringMatching(/^There is no API key for http:\/\/127\.0\.0\.1:1; set MILLRACE_API_KEY/),
  });
  expect(await cli(['keys', 'list'], { environment: elsewhere })).toMatchObject({
    code: 78,
    faults: expect.stringMatching(/^No server is chosen: /),
  });
  expect(await run('keys', 'lst')).toMatchObject({ code: 64 });
  expect(await run('keys', 'list', '--jsn')).toMatchObject({
    code: 64,
    faults: expect.stringMatching(/^--jsn is not an option; did you mean --json\?\n/),
  });
});

test('flows are checked and imported from lists, collections, archives, and files with a byte order mark', async () => {
  const flow = JSON.parse(readFileSync(echo, 'utf8')) as object;
  const [one, two] = ['One', 'Two'].map((name) => ({
    ...flow,
    name,
    id: undefined,
    endpoint_name: undefined,
  }));
  const given = mkdtempSync(join(folder, 'given-'));
  const archive = zipSync({
    'one.json': strToU8(JSON.stringify(one)),
    'folder/two.json': strToU8(`\ufeff${JSON.stringify([two])}`),
    '__MACOSX/one.json': strToU8('not JSON'),
    'README.md': strToU8('not JSON'),
  });
  const files: readonly (readonly [name: string, content: string | Uint8Array])[] = [
    ['list.json', JSON.stringify([one, two])],
    ['collection.json', `\ufeff${JSON.stringify({ flows: [one, two] })}`],
    ['flows.zip', archive],
  ];
  for (const [name, content] of files) {
    const file = join(given, name);
    writeFileSync(file, content);
    const both = [{ name: 'One' }, { name: 'Two' }];
    const checked = await run('flows', 'check', file, '--json');
    expect({ name, code: checked.code, flows: checked.json() }).toMatchObject({ name, code: 0, flows: both });
    const imported = await run('flows', 'import', file, '--dry-run', '--json');
    expect(imported.json()).toMatchObject({ flows: both.map((each) => ({ ...each, action: 'created' })) });
  }
  const noFlow = join(given, 'package.json');
  writeFileSync(noFlow, '{"name": "shop", "version": "1.0.0"}');
  expect(await run('flows', 'import', noFlow)).toMatchObject({
    code: 66,
    faults: `${noFlow} contains no flow with name and data\n`,
  });
  for (const content of [zipSync({ 'a.txt': strToU8('x') }), archive.subarray(0, 100), 'no JSON']) {
    const file = join(given, 'broken.zip');
    writeFileSync(file, content);
    expect(await run('flows', 'import', file)).toMatchObject({
      code: 66,
      faults: expect.stringContaining('broken.zip cannot be read: '),
    });
    expect((await run('flows', 'check', file)).code).toBe(1);
  }
});

test('flows are imported, run, compared, exported and imported again without a change', async () => {
  const imported = await run('flows', 'import', echo, '--json');
  expect(imported.code).toBe(0);
  const [{ id, name }] = imported.json<{ flows: [{ id: string; name: string }] }>().flows;
  expect(await run('run', id, 'Hello')).toMatchObject({ code: 0, output: expect.stringContaining('Hello') });
  const whole = await run('run', id, 'Hello', '--json');
  expect(whole.json<{ outputs: unknown[] }>().outputs).toHaveLength(1);
  expect(await run('run', 'no-such-flow', 'Hello')).toMatchObject({
    code: 77,
    faults: expect.stringMatching(
      /no flow with the id, .* "no-such-flow"\. Type one of:\n {2}echo {3}Echo\n$/,
    ),
  });

  const output = join(folder, 'flows');
  const exported = (await run('flows', 'export', '--output', output, '--json')).json<{ files: string[] }>()
    .files;
  expect(exported).toHaveLength(1);
  const [file = ''] = exported;
  expect(await run('flows', 'diff', id, file)).toMatchObject({ code: 0, output: 'No difference.\n' });
  const again = await run('flows', 'import', output, '--json');
  expect(again.json<{ flows: unknown[] }>().flows).toMatchObject([{ id, action: 'unchanged' }]);

  const flow = JSON.parse(readFileSync(file, 'utf8')) as { name: string; data: { nodes: { id: string }[] } };
  const [removed] = flow.data.nodes.splice(0, 1);
  writeFileSync(file, JSON.stringify({ ...flow, name: 'Other' }));
  const different = await run('flows', 'diff', id, file, '--json');
  expect(different.code).toBe(1);
  expect(different.json<{ changes: unknown[] }>().changes).toEqual(
    expect.arrayContaining([
      { kind: 'changed', place: 'name' },
      { kind: 'removed', place: `vertex ${removed?.id}` },
    ]),
  );
  const planned = await run('flows', 'import', file, '--dry-run', '--json');
  expect(planned.json<{ flows: unknown[] }>().flows).toMatchObject([{ id, action: 'changed' }]);
  expect((await run('flows', 'list')).output).toContain(name);
  expect((await run('flows', 'check', echo, '--json')).json<unknown[]>()).toMatchObject([
    { verdict: 'runnable' },
  ]);
});

test('an id that is none is named, and so is a path without files', async () => {
  for (const words of [
    ['runs', 'show'],
    ['runs', 'tail'],
    ['runs', 'cancel'],
  ])
    expect((await run(...words, 'nosuch')).faults).toMatch(
      /runs\/nosuch(\/cancel)? answered 422: the id of a run is a UUID\n$/,
    );
  for (const command of ['check', 'import'])
    for (const path of [join(folder, 'nosuch.json'), folder])
      expect(await run('flows', command, path)).toMatchObject({
        code: 66,
        faults: expect.stringContaining(path),
      });
});

test('a durable run is listed, shown and followed to its end', async () => {
  const [{ id }] = (await run('flows', 'list', '--json')).json<[{ id: string }]>();
  const headers = { 'x-api-key': key, 'content-type': 'application/json', prefer: 'respond-async' };
  const accepted = await fetch(`${server.url}/api/v1/run/${id}`, {
    method: 'POST',
    headers,
    body: '{"input_value":"x"}',
  });
  const runId = accepted.headers.get('x-run-id') ?? '';
  expect(await run('runs', 'tail', runId)).toMatchObject({
    code: 0,
    output: expect.stringContaining('succeeded'),
  });
  expect((await run('runs', 'show', runId, '--json')).json()).toMatchObject({
    id: runId,
    status: 'succeeded',
  });
  const listed = await run('runs', 'list', '--status', 'succeeded', '--flow', id, '--json');
  expect(listed.json<{ runs: { id: string }[] }>().runs.map((row) => row.id)).toContain(runId);
  expect(await run('runs', 'replay', runId)).toMatchObject({ code: 1 });
  expect(await run('dead', 'list')).toMatchObject({ code: 0, output: '(none)\n' });
  expect(await run('dead', 'replay')).toMatchObject({ code: 0, output: '0 dead runs\n' });
  expect(await run('dead', 'delete')).toMatchObject({ code: 64 });
  expect(await run('dead', 'delete', '--all')).toMatchObject({ code: 0, output: '0 records deleted\n' });
});

test('a key gets bounds, and loses them', async () => {
  const words = ['--access', 'run_only', '--addresses', '127.0.0.1,::1', '--end-users', 'header'];
  const made = await run('keys', 'create', 'bound', '--show', '--json', ...words);
  const { id } = made.json<{ id: string }>();
  const found = async () => {
    const listed = (await run('keys', 'list', '--json')).json<{ api_keys: { id: string }[] }>();
    return listed.api_keys.find((one) => one.id === id);
  };
  const bounds = { access: 'run_only', addresses: ['127.0.0.1', '::1'], end_users: 'header' };
  expect(await found()).toMatchObject(bounds);
  expect(await run('keys', 'change', id, '--unbound', '--end-users', 'token')).toMatchObject({ code: 0 });
  expect(await found()).toMatchObject({ end_users: 'token' });
  expect(await found()).not.toHaveProperty('access');
  expect(await run('keys', 'change', id, '--unbound')).toMatchObject({ code: 0 });
  for (const name of Object.keys(bounds)) expect(await found()).not.toHaveProperty(name);
});

test('keys, users and variables are created without a secret on the command line or in the output', async () => {
  const file = join(folder, 'deploy.key');
  const created = await run('keys', 'create', 'deploy', '--output', file, '--json');
  const secret = readFileSync(file, 'utf8').trim();
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(created.output).not.toContain(secret);
  expect(await run('keys', 'create', 'second', '--output', file)).toMatchObject({ code: 66 });
  const withKey = { ...environment, MILLRACE_URL: server.url, MILLRACE_API_KEY: secret };
  expect(await cli(['profile', 'show'], { environment: withKey })).toMatchObject({ code: 0 });
  expect(await run('keys', 'delete', created.json<{ id: string }>().id)).toMatchObject({ code: 0 });
  expect(await cli(['profile', 'show'], { environment: withKey })).toMatchObject({ code: 77 });

  expect(await run('users', 'create', 'ann', '--output', join(folder, 'ann.key'))).toMatchObject({ code: 0 });
  expect((await run('users', 'list')).output).toContain('ann');

  const set = (value: string) =>
    cli(['variables', 'set', 'CITY', '--type', 'Generic'], { environment, input: value });
  expect(await set('Graz\n')).toMatchObject({ code: 0, output: 'CITY created\n' });
  expect(await set('Linz\n')).toMatchObject({ code: 0, output: 'CITY changed\n' });
  expect((await run('variables', 'list')).output).toMatch(/CITY +Generic +Linz/);
  expect(await run('variables', 'delete', 'CITY')).toMatchObject({ code: 0 });
});

test('compare finds equal answers, and names the first difference', async () => {
  const bases = ['--base', server.url, '--base', server.url.replace('127.0.0.1', 'localhost')];
  const withKey = { ...environment, MILLRACE_API_KEY: key };
  const same = await cli(['compare', ...bases, '--json'], { environment: withKey });
  expect(same.json()).toMatchObject({ different: 0, requests: [{ statuses: [200, 200], differences: [] }] });
  expect(same.code).toBe(0);
  const requests = join(folder, 'requests.jsonl');
  writeFileSync(requests, '{"flow":"no-such-flow","body":{}}\n');
  expect(await cli(['compare', ...bases, '--requests', requests], { environment: withKey })).toMatchObject({
    code: 0,
  });
  writeFileSync(requests, 'no JSON\n');
  expect(await cli(['compare', ...bases, '--requests', requests], { environment: withKey })).toMatchObject({
    code: 66,
  });
});

test('an import says how its flow is called, and finds the flow again by endpoint name or name', async () => {
  const file = join(folder, 'greeting.json');
  const flow = JSON.parse(readFileSync(echo, 'utf8')) as Record<string, unknown>;
  const importAs = (members: object) => {
    writeFileSync(file, JSON.stringify({ ...flow, id: undefined, ...members }));
    return run('flows', 'import', file);
  };
  const created = await importAs({ name: 'Greet me', endpoint_name: 'greet' });
  expect(created).toMatchObject({
    code: 0,
    output: expect.stringMatching(
      /^created +greet +Greet me +runnable\nRun it: millrace run greet "Hello"$/m,
    ),
  });
  // Without an id, the endpoint name finds the flow; a name finds a flow that has neither.
  expect((await importAs({ name: 'Greet', endpoint_name: 'greet' })).output).toMatch(
    /^changed +greet +Greet /m,
  );
  const plain = await importAs({ name: 'Ask me', endpoint_name: null });
  expect(plain.output).toMatch(/^created +[0-9a-f-]{36} +Ask me /m);
  const again = await importAs({ name: 'Ask me', endpoint_name: null, description: 'Asks' });
  expect(again.output).toMatch(/^changed +[0-9a-f-]{36} +Ask me /m);
  for (const name of ['greet', 'Greet', 'Ask me'])
    for (const words of [[], ['--no-stream']])
      expect(await run('run', name, 'Hello', ...words)).toMatchObject({ code: 0, output: 'Hello\n' });
  const wrong = { ...environment, MILLRACE_URL: server.url, MILLRACE_API_KEY: 'sk-wrong' };
  expect(await cli(['run', 'greet', 'Hello'], { environment: wrong })).toMatchObject({
    code: 77,
    faults: `${server.url}/api/v1/run/greet answered 403: Invalid or missing API key\n`,
  });
  const mistaken = await run('run', 'ask-me', 'Hello');
  expect(mistaken).toMatchObject({ code: 77, output: '' });
  expect(mistaken.faults).toMatch(/Type one of:\n {2}[0-9a-f-]{36} {3}Ask me\n$/);
});

test('the error of a run is its sentence, whole and streamed', async () => {
  const orders = join(__dirname, '../../../../examples/order-totals.json');
  await run('flows', 'import', orders);
  for (const words of [[], ['--no-stream']]) {
    const failed = await run('run', 'order-totals', 'many pencils', ...words);
    expect(failed).toMatchObject({ code: 1, output: '' });
    expect(failed.faults).toMatch(/many pencils/);
    expect(failed.faults).not.toMatch(/[{}]|traceback/);
  }
});

test('settings are printed without secrets and checked', async () => {
  const settings = { MILLRACE_DATA_DIRECTORY: '/data', DATABASE_URL: 'postgres://ann:hunter22@db/mill' };
  const printed = await cli(['config', 'print', '--changed', '--json'], { environment: settings });
  expect(printed.json()).toEqual({ MILLRACE_DATA_DIRECTORY: '/data', DATABASE_URL: '(hidden)' });
  expect((await cli(['config', 'print'], { environment })).output).toMatch(/^SETTING +VALUE +DEFAULT\n/);
  expect(await cli(['config', 'check'], { environment })).toMatchObject({ code: 0 });
  const keys = {
    MILLRACE_ENCRYPTION_KEY: `${'A'.repeat(43)}=`,
    MILLRACE_BOOTSTRAP_API_KEY: 'sk-change-me-change-me-change-me',
  };
  const guessable = await cli(['config', 'check'], { environment: keys });
  expect(guessable.code).toBe(78);
  expect(guessable.output).toMatch(/MILLRACE_ENCRYPTION_KEY.*can be guessed/);
  expect(guessable.output).toMatch(/MILLRACE_BOOTSTRAP_API_KEY.*key of an example/);
  const wrong = { PORT: 'many', MILLRACE_CONCURENCY: '2', MILLRACE_API_KEY: 'sk-x' };
  const checked = await cli(['config', 'check', '--json'], { environment: wrong });
  expect(checked.code).toBe(78);
  expect(checked.json<{ faults: string[] }>().faults).toEqual([
    expect.stringContaining('PORT'),
    expect.stringContaining('MILLRACE_CONCURRENCY'),
  ]);
  const removed = { MILLRACE_MAXIMUM_VERTICES: '5', MILLRACE_MAXIMUM_ATTEMPTS: '3' };
  expect(await cli(['config', 'check'], { environment: removed })).toMatchObject({
    code: 0,
    output: expect.stringMatching(
      /^warning {2}MILLRACE_MAXIMUM_VERTICES is no longer a setting .*\n$/,
    ) as string,
  });
});

test('help is a word, too, for commands that exist', async () => {
  const help = (await run('--help')).output;
  expect(await run('help')).toMatchObject({ code: 0, output: help });
  const list = (await run('runs', 'list', '--help')).output;
  for (const words of [
    ['help', 'runs', 'list'],
    ['runs', 'help', 'list'],
  ])
    expect(await run(...words)).toMatchObject({ code: 0, output: list });
  for (const words of [
    ['help', 'nosuch'],
    ['runs', 'nosuch', '--help'],
  ])
    expect(await run(...words)).toMatchObject({
      code: 64,
      faults: expect.stringMatching(/^unknown command 'nosuch'/),
    });
});

test('completion knows all commands in each shell, and refuses others', async () => {
  const words = 'list import export diff pause resume watch check --help';
  expect((await run('completion', 'fish')).output).toContain(`case "flows"; string split " " -- "${words}"`);
  expect(await run('completion', 'powershell')).toMatchObject({ code: 64, output: '' });
  const { output } = await run('completion', 'bash');
  expect(output).toContain('"flows") words="list import export diff pause resume watch check --help"');
  expect(output).toContain('complete -o default -F _millrace millrace');
});
