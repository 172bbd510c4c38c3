import { createHash } from 'node:crypto';
import { AuthorCodeStore } from '@millrace/runs';
import { createLogger } from '@millrace/service';
import { makeTenant } from '../../testing/tenant';
import type { Tenant } from '../../testing/tenant';
import { gatewayForTests } from '../../testing/test-gateway';

const code = 'class Mill:\n    pass\n';
const sha256 = createHash('sha256').update(code).digest('hex');
const path = `/api/v1/author-code/${sha256}`;
const lines: Record<string, unknown>[] = [];
const logger = createLogger({
  name: 'author-code-test',
  level: 'info',
  destination: { write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) },
});
let author: Tenant;

const gateway = gatewayForTests({ logger });
beforeAll(async () => {
  author = await makeTenant(gateway, 'author');
}, 60_000);
beforeEach(() => gateway.database.query({ text: 'TRUNCATE author_code' }));

async function submitted(): Promise<void> {
  const { id } = (await author.call('GET', '/api/v1/users/whoami')).json as { id: string };
  const store = new AuthorCodeStore({ database: gateway.database });
  await store.submit(id, [{ sha256, code, componentType: 'Mill' }]);
}

test('an admin lists what waits, reads the code, approves it and deletes the approval', async () => {
  await submitted();
  const list = (query = '') => gateway.call('GET', `/api/v1/author-code${query}`);
  const waiting = { sha256, status: 'waiting', component_type: 'Mill', bytes: code.length, decided_by: null };
  expect((await list()).json).toMatchObject({ author_code: [waiting] });
  expect((await gateway.call('GET', path)).json).toMatchObject({ ...waiting, code });

  const decided = await gateway.call(
    'PUT',
    path.toUpperCase().replace('/API/V1/AUTHOR-CODE', '/api/v1/author-code'),
    { status: 'approved' },
  );
  expect(decided).toMatchObject({
    status: 200,
    json: { sha256, status: 'approved', decided_by: expect.any(String) },
  });
  expect((await list()).json).toEqual({ author_code: [] });
  expect((await list('?status=approved&limit=1')).json).toMatchObject({ author_code: [{ sha256 }] });
  const [listed] = ((await list('?status=all')).json as { author_code: { submitted_by: string }[] })
    .author_code;
  expect(listed).toMatchObject({ sha256, decided_by: gateway.user.id });
  expect((await list(`?status=all&submitted_by=${listed?.submitted_by}`)).json).toEqual({
    author_code: [listed],
  });
  expect((await list(`?status=all&submitted_by=${gateway.user.id}`)).json).toEqual({ author_code: [] });
  expect((await list('?submitted_by=me')).status).toBe(422);

  expect((await gateway.call('DELETE', path)).status).toBe(204);
  expect((await gateway.call('DELETE', path)).status).toBe(404);
  expect((await gateway.call('GET', path)).status).toBe(404);
});

test('code can be approved before any flow contains it', async () => {
  expect((await gateway.call('PUT', path, { status: 'approved' })).json).toMatchObject({ bytes: null });
  await submitted();
  expect((await gateway.call('GET', path)).json).toMatchObject({ status: 'approved', code });
});

test.each([
  [
    'a shortened hash',
    `/api/v1/author-code/${sha256.slice(0, 12)}`,
    { status: 'approved' },
    ['path', 'sha256'],
  ],
  ['a status that is no decision', path, { status: 'waiting' }, ['body', 'status']],
])('%s is refused', async (_what, at, body, loc) => {
  const refused = await gateway.call('PUT', at, body);
  expect(refused).toMatchObject({ status: 422, json: { detail: [{ loc }] } });
  expect((await gateway.call('GET', '/api/v1/author-code?status=all')).json).toEqual({ author_code: [] });
});

test('each decision is logged with the admin and the hash, and without the code', async () => {
  await submitted();
  lines.length = 0;
  await gateway.call('PUT', path, { status: 'approved' });
  await gateway.call('PUT', path, { status: 'refused' });
  await gateway.call('DELETE', path);
  await gateway.call('DELETE', path);
  const decisions = lines.filter(({ msg }) => String(msg).startsWith('author code'));
  expect(decisions).toMatchObject(
    ['approved', 'refused', 'deleted'].map((event) => ({
      level: 'info',
      msg: `author code ${event}`,
      sha256,
      adminId: gateway.user.id,
      requestId: expect.any(String),
    })),
  );
  expect(JSON.stringify(lines)).not.toContain('class Mill');
});

test('other users can neither list, read, decide nor delete', async () => {
  await submitted();
  const calls = [
    ['GET', '/api/v1/author-code'],
    ['GET', path],
    ['PUT', path, { status: 'approved' }],
    ['DELETE', path],
  ] as const;
  for (const [method, at, body] of calls)
    expect(await author.call(method, at, body)).toMatchObject({ status: 403 });
  expect((await gateway.call('GET', path)).json).toMatchObject({ status: 'waiting' });
});
