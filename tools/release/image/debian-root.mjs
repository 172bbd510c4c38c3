import { createHash } from 'node:crypto';
import { chmodSync, cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../run.mjs';
import { workspaceRoot } from '../../workspace/workspace-root.mjs';

const SUITE = 'bookworm';
const MIRROR = 'http://deb.debian.org/debian';
/** What Node loads. */
const PACKAGES = ['base-files', 'libc6', 'libgcc-s1', 'libstdc++6'];
const EXCLUDED = ['man', 'info', 'locale', 'lintian'].map((name) => `path-exclude=/usr/share/${name}/*`);
/** Records which packages the files come from, where scanners of images look for them. */
const RECORD_PACKAGES =
  'mkdir -p "$1/var/lib/dpkg/status.d" && for file in "$1"/var/cache/apt/archives/*.deb; do dpkg-deb -f "$file" > "$1/var/lib/dpkg/status.d/$(dpkg-deb -f "$file" Package)"; done';
const USERS = `root:x:0:0:root:/root:/sbin/nologin
millrace:x:1000:1000:Millrace:/tmp:/sbin/nologin
`;
const GROUPS = 'root:x:0:\nmillrace:x:1000:\n';

/** @typedef {'amd64' | 'arm64'} Architecture */

/**
 * Unpacks the packages of Debian that Node needs, and the pinned Node, to a folder. No program of them runs, so any
 * architecture can be made on any other one. Needs root.
 * @param {{ readonly architecture: Architecture, readonly folder: string, readonly epoch: number }} options
 */
export function makeDebianRoot({ architecture, folder, epoch }) {
  run(
    'mmdebstrap',
    [
      '--mode=root',
      '--variant=extract',
      `--architectures=${architecture}`,
      `--include=${PACKAGES.join(',')}`,
      ...EXCLUDED.map((option) => `--dpkgopt=${option}`),
      `--extract-hook=${RECORD_PACKAGES}`,
      '--skip=output/dev',
      SUITE,
      folder,
      MIRROR,
    ],
    { environment: { SOURCE_DATE_EPOCH: String(epoch) } },
  );
  // Left by apt, with times and the state of the machine.
  for (const path of ['var/lib/apt', 'var/cache', 'var/log', 'etc/apt', 'dev'])
    rmSync(join(folder, path), { recursive: true, force: true });
  for (const path of ['dev', 'var/cache', 'var/log']) mkdirSync(join(folder, path), { recursive: true });
  writeFileSync(join(folder, 'etc', 'passwd'), USERS);
  writeFileSync(join(folder, 'etc', 'group'), GROUPS);
  addNode(architecture, folder);
}

/**
 * @param {Architecture} architecture
 * @param {string} folder
 */
function addNode(architecture, folder) {
  const name = `node-linux-${architecture === 'amd64' ? 'x64' : 'arm64'}`;
  const pins = JSON.parse(readFileSync(join(workspaceRoot, 'tools', 'node', 'package-lock.json'), 'utf8'));
  const { version, integrity } = pins.packages[`node_modules/${name}`];
  const work = join(folder, 'tmp');
  mkdirSync(work, { recursive: true });
  run('npm', ['pack', '--silent', '--pack-destination', work, `${name}@${version}`]);
  const [archive = ''] = readdirSync(work).filter((file) => file.endsWith('.tgz'));
  const digest = createHash('sha512')
    .update(readFileSync(join(work, archive)))
    .digest('base64');
  if (`sha512-${digest}` !== integrity)
    throw new Error(`${name} ${version} is not the file that tools/node/package-lock.json names`);
  run('tar', ['-xzf', join(work, archive), '-C', work, 'package/bin/node', 'package/LICENSE']);
  mkdirSync(join(folder, 'usr', 'share', 'doc', 'nodejs'), { recursive: true });
  cpSync(join(work, 'package', 'bin', 'node'), join(folder, 'usr', 'bin', 'node'));
  chmodSync(join(folder, 'usr', 'bin', 'node'), 0o755);
  cpSync(join(work, 'package', 'LICENSE'), join(folder, 'usr', 'share', 'doc', 'nodejs', 'copyright'));
  rmSync(work, { recursive: true });
  mkdirSync(work, { mode: 0o777 });
  chmodSync(work, 0o1777);
}
