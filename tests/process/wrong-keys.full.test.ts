import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startStandalone } from '../system/start-standalone';

const directory = mkdtempSync(join(tmpdir(), 'millrace-wrong-keys-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** Starts the standalone app on a data folder. */
const start = async (environment: Readonly<Record<string, string>>, data = directory) =>
  (await startStandalone({ environment, data })).service;

/** Resolves to why it did not start: its exit code and its output. */
async function refusal(environment: Readonly<Record<string, string>>, data?: string): Promise<string> {
  const refused = start(environment, data).then(async (service) => {
    await service.stop();
    return 'started';
  });
  return refused.catch(({ message }: Error) => message);
}

const newKey = () => randomBytes(32).toString('base64');

test('refuses an encryption key that does not match the data, in one sentence', async () => {
  expect((await (await start({})).stop()).code).toBe(0);
  const first = readFileSync(join(directory, 'encryption-key'), 'utf8').trim();
  const [other, next] = [newKey(), newKey()];

  const refused = await refusal({ MILLRACE_ENCRYPTION_KEY: other });
  expect(refused).toContain('standalone ended (78) before it was ready');
  expect(refused).toContain(
    'MILLRACE_ENCRYPTION_KEY lists none of the keys that this database was written with',
  );
  expect(refused).not.toMatch(/^\s+at |"level":"(error|fatal)"/m);
  expect(refused).not.toContain(other);

  for (const keys of [first, `${next},${first}`, next])
    expect((await (await start({ MILLRACE_ENCRYPTION_KEY: keys })).stop()).code).toBe(0);
  expect(await refusal({})).toContain('standalone ended (78)');
}, 180_000);

test('refuses to start with a weak bootstrap key, in one sentence', async () => {
  const refused = await refusal({ MILLRACE_BOOTSTRAP_API_KEY: 'foo' }, join(directory, 'another'));
  expect(refused).toContain('standalone ended (78)');
  expect(refused).toContain('Wrong settings:\n  MILLRACE_BOOTSTRAP_API_KEY must begin with sk-');
  expect(refused).not.toMatch(/^\s+at |"level":"(error|fatal)"/m);
}, 60_000);
