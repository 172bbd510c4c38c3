import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@millrace/service';
import { openTestGateway, TEST_KEY } from '../testing/test-gateway';
import type { TestGateway } from '../testing/test-gateway';
import { applyAtStart } from './apply-at-start';

const folder = mkdtempSync(join(tmpdir(), 'millrace-apply-'));
let gateway: TestGateway;
beforeAll(async () => {
  mkdirSync(join(folder, 'flows'));
  const variables = ['one', 'two', 'three'].map((name) => ({ name, value: name }));
  writeFileSync(join(folder, 'millrace.yaml'), JSON.stringify({ variables }));
  gateway = await openTestGateway();
}, 60_000);
afterAll(async () => {
  await gateway.close();
  rmSync(folder, { recursive: true });
});

async function apply(directory: string): Promise<readonly object[]> {
  const lines: object[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line) as object) };
  const logger = createLogger({ name: 'apply-test', level: 'info', destination });
  await applyAtStart({ directory, url: gateway.url, key: TEST_KEY, environment: {}, logger });
  return lines;
}

test('a start waits until the folder is applied', async () => {
  expect(await apply(folder)).toMatchObject([{ msg: 'the folder of flows is applied' }]);
  const { json } = await gateway.call('GET', '/api/v1/variables/');
  expect(json).toMatchObject([{ name: 'one' }, { name: 'two' }, { name: 'three' }]);
});

test('a folder that cannot be applied is logged, and does not prevent the start', async () => {
  const fault = { level: 'error', msg: 'the folder of flows was not applied completely' };
  expect(await apply(join(folder, 'missing'))).toMatchObject([fault]);
});
