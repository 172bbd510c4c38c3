import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { canaries } from './canaries';
import type { CanaryName } from './canaries';
import { describeSecrets } from './describe-secrets';
import { startStandalone } from './start-standalone';

const KEY = 'sk-0123456789-of-the-first-user';
/** The other canaries are in flows and their answers, which the database contains as they are. */
const NEVER_STORED: readonly CanaryName[] = [
  'signingSecret',
  'wrongKey',
  'wrongKeyInQuery',
  'bearer',
  'cookie',
  'collector',
];
const directory = mkdtempSync(join(tmpdir(), 'millrace-secrets-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describeSecrets('standalone', async (environment) => {
  const app = await startStandalone({
    data: directory,
    environment: { MILLRACE_BOOTSTRAP_API_KEY: KEY, ...environment },
  });
  return {
    ...app,
    metrics: [`${app.url}/metrics`],
    stop: async () => {
      await app.stop();
      const except = (Object.keys(canaries) as CanaryName[]).filter((name) => !NEVER_STORED.includes(name));
      return [{ name: 'files', texts: filesIn(directory), except }];
    },
  };
});

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'));
}
