import { startPostgresPair } from '@millrace/scaled-system';
import type { PostgresPair } from '@millrace/scaled-system';
import { until } from '@millrace/service/testing';
import { examine } from './examine';

let pair: PostgresPair;

beforeAll(async () => {
  pair = await startPostgresPair({ isSynchronous: false });
});

afterAll(() => pair.stop());

async function codes(): Promise<readonly string[]> {
  const checks = await examine({
    environment: { DATABASE_URL: pair.url },
    api: undefined,
    nodeVersion: process.versions.node,
    machineClock: () => Date.now(),
    onBegin: () => undefined,
  });
  return checks.flatMap(({ findings }) => findings.map(({ code }) => code));
}

test('warns of standbys that commits do not wait for, and of commits that wait for none', async () => {
  expect(await codes()).toContain('replication_asynchronous');
  await pair.primary.configure(`synchronous_standby_names = '*'`);
  await until(
    async () => !(await codes()).includes('replication_asynchronous'),
    'commits wait for the standby',
  );
  expect(await codes()).not.toContain('replication_without_standby');
  await pair.standby.kill();
  await until(
    async () => (await codes()).includes('replication_without_standby'),
    'commits wait for no standby',
  );
});
