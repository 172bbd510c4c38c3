import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

const root = join(__dirname, '..', '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

test('the workspace, its lock file and the Helm chart name one version', () => {
  const { version } = JSON.parse(read('package.json')) as { version: string };
  const lock = JSON.parse(read('package-lock.json')) as { version: string };
  const chart = parse(read('deploy/helm/millrace/Chart.yaml')) as { version: string; appVersion: string };
  expect(version).toMatch(/^\d+\.\d+\.\d+/);
  expect({ lock: lock.version, chart: chart.version, appVersion: chart.appVersion }).toEqual({
    lock: version,
    chart: version,
    appVersion: version,
  });
});
