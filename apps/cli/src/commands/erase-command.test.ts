import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { forAllTests } from '@millrace/testing';
import { openCliServer } from '../testing/cli-server.fixture';
import { cli } from '../testing/test-shell';

let environment: Record<string, string>;

const server = forAllTests(openCliServer);
beforeAll(async () => {
  environment = { ...server.environment, MILLRACE_URL: server.url, MILLRACE_API_KEY: server.key };
  const echo = join(__dirname, '../../../../examples/echo.json');
  expect(await run('flows', 'import', echo)).toMatchObject({ code: 0 });
});

const run = (...words: string[]) => cli(words, { environment });
const answered = (input: string, ...words: string[]) => cli(words, { environment, input });

async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: { 'x-api-key': server.key, 'content-type': 'application/json', prefer: 'respond-async' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  expect([path, response.ok]).toEqual([path, true]);
  return (await response.json()) as T;
}

/** Runs the flow in a session; resolves when its run has ended. */
async function talk(session: string): Promise<void> {
  const accepted = await call<{ run_id: string }>('POST', '/api/v1/run/echo', {
    input_value: 'hello',
    session_id: session,
  });
  expect(await run('runs', 'tail', accepted.run_id)).toMatchObject({ code: 0 });
}

const sessions = async () =>
  (await call<readonly string[]>('GET', '/api/v1/monitor/messages/sessions')).toSorted();

test('erase deletes the messages and runs of a session, and then those of an end user', async () => {
  for (const session of ['alone', 'ann::1', 'ann::2', 'bob::1']) await talk(session);
  expect(await run('erase', '--session', 'alone', '--yes')).toMatchObject({
    code: 0,
    output: '2 messages and 1 runs of the session alone deleted\n',
  });
  const erased = await run('erase', '--end-user', 'ann', '--yes', '--json');
  expect(erased).toMatchObject({ code: 0, faults: '' });
  expect(erased.json()).toEqual({ messages: 4, runs: 2, runs_in_progress: 0, complete: true });
  expect(await sessions()).toEqual(['bob::1']);
  const { runs } = (await run('runs', 'list', '--json')).json<{ runs: unknown[] }>();
  expect(runs).toHaveLength(1);
  expect((await run('erase', '--session', 'alone', '--yes')).output).toMatch(/^0 messages and 0 runs/);
});

test('erase asks first, and changes nothing without a yes or with two names or none', async () => {
  await talk('asked::1');
  const words = ['erase', '--session', 'asked::1'];
  for (const input of ['', 'no\n'])
    expect(await answered(input, ...words)).toMatchObject({ code: 64, faults: 'Nothing was changed.\n' });
  for (const names of [[], ['--session', 'asked::1', '--end-user', 'asked']])
    expect(await run('erase', ...names, '--yes')).toMatchObject({
      code: 64,
      faults: 'Name either --session or --end-user.\n',
    });
  expect(await sessions()).toContain('asked::1');
  expect(await answered('yes\n', ...words)).toMatchObject({ code: 0 });
  expect(await sessions()).not.toContain('asked::1');
});

test('a run that has not ended stays, and erase ends with 1', async () => {
  const flow = { name: 'waits', endpoint_name: 'waits', settings: { pool: 'empty' } };
  const { data } = JSON.parse(readFileSync(join(__dirname, '../../../../examples/echo.json'), 'utf8')) as {
    data: unknown;
  };
  await call('POST', '/api/v1/flows/', { ...flow, data });
  await call('POST', '/api/v1/run/waits', { input_value: 'hello', session_id: 'waiting' });
  expect(await run('erase', '--session', 'waiting', '--yes')).toMatchObject({
    code: 1,
    output: expect.stringContaining('1 runs have not ended: cancel them, or call this again later.'),
  });
});

test('users delete asks first, deletes the user and revokes the keys; an admin cannot delete themselves', async () => {
  const file = join(server.folder, 'ann.key');
  const created = await run('users', 'create', 'ann', '--output', file, '--json');
  const { id } = created.json<{ id: string }>();
  const asAnn = { ...environment, MILLRACE_API_KEY: readFileSync(file, 'utf8').trim() };
  expect(await cli(['flows', 'list'], { environment: asAnn })).toMatchObject({ code: 0 });
  expect(await cli(['users', 'delete', id, '--yes'], { environment: asAnn })).toMatchObject({ code: 77 });
  expect(await answered('no\n', 'users', 'delete', id)).toMatchObject({ code: 64 });
  expect((await run('users', 'list')).output).toContain('ann');
  expect(await answered('yes\n', 'users', 'delete', id)).toMatchObject({
    code: 0,
    output: `${id} deleted\n`,
  });
  expect((await run('users', 'list')).output).not.toContain('ann');
  expect(await cli(['flows', 'list'], { environment: asAnn })).toMatchObject({ code: 77 });
  expect(await run('users', 'delete', id, '--yes')).toMatchObject({ code: 77 });
  const { id: own } = await call<{ id: string }>('GET', '/api/v1/users/whoami');
  expect(await run('users', 'delete', own, '--yes')).toMatchObject({ code: 77 });
  expect(await run('users', 'list')).toMatchObject({ code: 0 });
});
