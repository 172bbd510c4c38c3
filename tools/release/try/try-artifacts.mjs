import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RELEASE } from '../make-artifacts.mjs';
import { run } from '../run.mjs';
import { tryImage } from './try-image.mjs';
import { tryPackage } from './try-package.mjs';
import { tryRegistry } from './try-registry.mjs';
import { tryUpgrade } from './try-upgrade.mjs';

/**
 * Tries each artifact of dist/release as its user does: installs, starts, runs a flow, pushes, pulls, and with `from` upgrades a data
 * folder of that revision. Prints what happened; rejects at the first failure.
 * @param {{ readonly helm: string, readonly version: string, readonly from: string | undefined }} options
 */
export async function tryArtifacts({ helm, version, from }) {
  const work = mkdtempSync(join(tmpdir(), 'millrace-try-'));
  const tarball = join(RELEASE, `millrace-${version}.tgz`);
  const layout = join(work, 'image');
  /** @param {readonly string[]} lines */
  const print = (lines) => lines.forEach((line) => console.log(line));
  try {
    print([run('sha256sum', ['--check', 'SHA256SUMS'], { cwd: RELEASE }).trim(), ...licenses(version)]);
    mkdirSync(layout);
    run('tar', ['-xf', join(RELEASE, `millrace-image-${version}.oci.tar`), '-C', layout]);
    const { command, lines } = await tryPackage({ tarball, work, version });
    print(lines);
    const chart = join(RELEASE, `millrace-chart-${version}.tgz`);
    print(
      await tryRegistry({
        layout,
        chart,
        helm,
        work,
        version,
        tryImage: (name) => tryImage({ name, work, version }),
      }),
    );
    if (from !== undefined) print(await tryUpgrade({ command, revision: from, work }));
  } finally {
    rmSync(work, { recursive: true, force: true, maxRetries: 5 });
  }
}

/**
 * Says how many components the SBOM has and which licenses. Throws when one has none.
 * @param {string} version
 */
function licenses(version) {
  /** @typedef {{ name: string, licenses?: { license?: { id?: string, name?: string }, expression?: string }[] }} Component */
  /** @type {{ components: Component[] }} */
  const { components } = JSON.parse(readFileSync(join(RELEASE, `millrace-${version}.cdx.json`), 'utf8'));
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const component of components) {
    const [one] = component.licenses ?? [];
    const name = one?.expression ?? one?.license?.id ?? one?.license?.name;
    // The console is a part of this repository.
    if (name === undefined && component.name !== 'console')
      throw new Error(`${component.name} has no license`);
    if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const texts = [...counts]
    .sort((one, other) => other[1] - one[1])
    .map(([name, count]) => `${name} ${count}`);
  return [`SBOM: ${components.length} components; ${texts.join(', ')}`];
}
