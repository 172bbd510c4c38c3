import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, waitUntil } from '@millrace/testing';
import { chart, podsOf, readManifests, renderFiles, root, runHelm, valueSets } from './render';

// Named a suite with servers because it needs programs that the test command installs: Helm, and a registry.
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
const folder = mkdtempSync(join(tmpdir(), 'millrace-chart-'));
const valuesOf = (name: string) => join(root, 'deploy', 'helm', 'values', `${name}.yaml`);
const DIGEST = `sha256:${'1a'.repeat(32)}`;

afterAll(() => rmSync(folder, { recursive: true }));

test.each(valueSets)('Helm finds nothing to warn of in the chart with the values %s', (name) => {
  const values = readFileSync(valuesOf(name), 'utf8');
  const { messages, errors } = runHelm({ command: 'lint', chart, values }) as {
    messages: readonly { severity: number }[];
    errors: readonly string[];
  };
  // An icon is recommended: the only remark, and no warning.
  expect(messages.filter(({ severity }) => severity > 1)).toEqual([]);
  expect(errors).toEqual([]);
});

test('pods run the image of the digest, and those of a pool with another repository its own', () => {
  const file = join(folder, 'digest.yaml');
  writeFileSync(file, `image: { repository: registry.example.com/millrace, digest: '${DIGEST}' }\n`);
  const images = podsOf(
    Object.entries(renderFiles([valuesOf('python'), file]))
      .filter(([path]) => path.endsWith('.yaml'))
      .flatMap(([, text]) => readManifests(text)),
  ).map(({ labels, pod }) => [labels['millrace.dev/pool'], pod.containers[0]?.image]);
  const [python, others] = [true, false].map((isPython) =>
    images.filter(([pool]) => (pool === 'python') === isPython).map(([, image]) => image),
  );
  expect(python).toEqual([`millrace-python:${version}`]);
  expect(new Set(others)).toEqual(new Set([`registry.example.com/millrace:${version}@${DIGEST}`]));
});

test('the notes say how to reach the release, with its names and its Secret', () => {
  const notes = renderFiles([valuesOf('external-servers')])['millrace/templates/NOTES.txt'];
  expect(notes).toContain('kubectl -n millrace rollout status deployment/millrace-gateway');
  expect(notes).toMatch(/kubectl -n millrace get secret \S+ /);
  expect(notes).toContain(`Millrace ${version}: `);
});

test('the chart of a release names its image by digest, and is the same file twice', () => {
  const [first, second] = ['one', 'two'].map((name) => {
    mkdirSync(join(folder, name));
    return readFileSync(packageRelease(join(folder, name)));
  });
  expect(second?.equals(first ?? Buffer.alloc(0))).toBe(true);
  const archive = join(folder, 'one', `millrace-chart-${version}.tgz`);
  const values = [readFileSync(valuesOf('small'), 'utf8')];
  const rendered = runHelm({ command: 'render', chart: archive, values, name: 'a', namespace: 'b' });
  expect(Object.values(rendered as Readonly<Record<string, string>>).join('')).toContain(
    `image: registry.example.com/millrace:${version}@${DIGEST}`,
  );
});

test('a registry returns the packaged chart as it was pushed, with the version of the release', async () => {
  const registry = await startRegistry();
  try {
    const file = runHelm({ command: 'package', chart, folder }) as string;
    expect(file).toBe(join(folder, `millrace-${version}.tgz`));
    runHelm({ command: 'push', file, registry: `oci://${registry.address}/charts` });
    const pulled = join(folder, 'pulled');
    mkdirSync(pulled);
    const reference = `oci://${registry.address}/charts/millrace`;
    runHelm({ command: 'pull', reference, version, folder: pulled });
    const archive = join(pulled, `millrace-${version}.tgz`);
    expect(readFileSync(archive).equals(readFileSync(file))).toBe(true);
    const values = [readFileSync(valuesOf('small'), 'utf8')];
    const rendered = runHelm({ command: 'render', chart: archive, values, name: 'a', namespace: 'b' });
    expect(rendered).toEqual(runHelm({ command: 'render', chart, values, name: 'a', namespace: 'b' }));
  } finally {
    registry.stop();
  }
});

/** Packages the chart as `npm run release` does; returns the file. */
function packageRelease(target: string): string {
  const module = join(root, 'tools', 'release', 'package-chart.mjs');
  const options = {
    helm: process.env['HELM'],
    folder: target,
    repository: 'registry.example.com/millrace',
    digest: DIGEST,
    epoch: 1_700_000_000,
  };
  const code = `const { packageChart } = await import(${JSON.stringify(module)});
    console.log(packageChart(${JSON.stringify(options)}));`;
  return execFileSync(process.execPath, ['--input-type=module', '--eval', code], { encoding: 'utf8' }).trim();
}

/** Starts Debian's registry on a port of its own. */
async function startRegistry() {
  const program = process.env['OCI_REGISTRY'];
  if (!program) throw new Error('OCI_REGISTRY is not set: npm test finds or installs the program');
  const address = `127.0.0.1:${await freePort()}`;
  const configuration = join(folder, 'registry.yml');
  writeFileSync(
    configuration,
    `version: 0.1\nstorage: { filesystem: { rootdirectory: ${join(folder, 'registry')} } }\nhttp: { addr: '${address}' }\n`,
  );
  const child = spawn(program, ['serve', configuration], { stdio: 'ignore' });
  await waitUntil(() => fetch(`http://${address}/v2/`), { deadlineMilliseconds: 30_000 });
  return { address, stop: () => child.kill() };
}
