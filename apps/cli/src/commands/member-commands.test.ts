import { openCliServer } from '../testing/cli-server.fixture';
import type { CliServer } from '../testing/cli-server.fixture';
import { cli } from '../testing/test-shell';

const NAME = 'Ann of/the "team"?#';
let server: CliServer;
let environment: CliServer['environment'];
let ann: string;

beforeAll(async () => {
  server = await openCliServer();
  environment = { ...server.environment, MILLRACE_URL: server.url, MILLRACE_API_KEY: server.key };
  const answer = await fetch(`${server.url}/api/v1/users`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': server.key },
    body: JSON.stringify({ username: NAME }),
  });
  ({ id: ann } = (await answer.json()) as { id: string });
}, 60_000);

afterAll(() => server.close());

const run = (...words: string[]) => cli(['members', ...words], { environment });

async function listed(): Promise<unknown> {
  const { code, output } = await run('list', 'Starter Project', '--json');
  expect(code).toBe(0);
  return (JSON.parse(output) as { members: unknown }).members;
}

test('a member is added by name, gets another role, and is removed by id or name', async () => {
  expect(await listed()).toEqual([]);
  const added = await run('set', 'Starter Project', NAME, 'viewer');
  expect(added).toMatchObject({ code: 0, output: `${NAME} is viewer\n` });
  expect(await listed()).toMatchObject([{ user_id: ann, role: 'viewer', payloads: false }]);
  expect(await run('set', 'Starter Project', ann, 'viewer', '--payloads')).toMatchObject({ code: 0 });
  const table = await run('list', 'Starter Project');
  expect(table.output).toMatch(new RegExp(`${ann} +.* +viewer +yes`));
  expect(await run('set', 'Starter Project', ann, 'editor')).toMatchObject({ code: 0 });
  expect(await listed()).toMatchObject([{ role: 'editor', payloads: true }]);
  expect(await run('remove', 'Starter Project', 'absent', NAME)).toMatchObject({
    code: 1,
    output: `${NAME} removed\n`,
    faults: 'absent: Member not found\n',
  });
  expect(await listed()).toEqual([]);
});

test.each([
  ['an unknown project', ['list', 'shop'], 'No project has the id or name "shop"'],
  ['an unknown user', ['set', 'Starter Project', 'absent', 'viewer'], 'User not found'],
  ['a user who is no member', ['remove', 'Starter Project', 'absent'], 'Member not found'],
  ['a role that there is not', ['set', 'Starter Project', NAME, 'admin'], 'viewer, operator, editor, owner'],
])('%s is refused', async (_what, words, text) => {
  const { code, faults } = await run(...words);
  expect(code).not.toBe(0);
  expect(faults).toContain(text);
});
