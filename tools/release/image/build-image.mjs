import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../run.mjs';
import { workspaceRoot } from '../../workspace/workspace-root.mjs';
import { makeDebianRoot } from './debian-root.mjs';

/** @import { Architecture } from './debian-root.mjs' */

/** @type {readonly Architecture[]} */
const ARCHITECTURES = ['amd64', 'arm64'];
const PATH = '/usr/local/bin:/usr/bin:/bin';

/**
 * Builds the image of deploy/Dockerfile for all architectures with buildah, and writes it as an OCI layout to a folder. The same
 * files make the same digest. Returns the digest of the index, and the bytes of each architecture when unpacked.
 * @param {{ readonly files: string, readonly layout: string, readonly version: string, readonly revision: string, readonly epoch: number }} options
 */
export function buildImage({ files, layout, version, revision, epoch }) {
  const work = mkdtempSync(join(tmpdir(), 'millrace-buildah-'));
  /** @param {readonly string[]} words */
  const buildah = (...words) => run('buildah', [...storageOf(work), ...words], { cwd: files }).trim();
  try {
    /** @type {Record<string, number>} */
    const bytes = {};
    const index = `localhost/millrace:${version}`;
    buildah('manifest', 'create', index);
    for (const architecture of ARCHITECTURES) {
      const root = join(work, `root-${architecture}`);
      mkdirSync(root);
      makeDebianRoot({ architecture, folder: root, epoch });
      const base = `localhost/millrace-base:${architecture}`;
      const container = buildah('from', '--arch', architecture, 'scratch');
      buildah('add', container, root, '/');
      buildah('config', '--env', `PATH=${PATH}`, '--arch', architecture, container);
      buildah('commit', '--rm', '--timestamp', String(epoch), container, base);
      const image = `localhost/millrace:${architecture}`;
      buildah(
        'build',
        '--isolation',
        'chroot',
        '--arch',
        architecture,
        '--target',
        'release',
        '--layers=false',
        '--pull-never',
        '--timestamp',
        String(epoch),
        '--file',
        join(workspaceRoot, 'deploy', 'Dockerfile'),
        ...argumentsOf({ BASE: base, VERSION: version, REVISION: revision }),
        '--tag',
        image,
        files,
      );
      buildah('manifest', 'add', index, image);
      bytes[architecture] = folderBytes(root) + folderBytes(files);
      rmSync(root, { recursive: true });
    }
    rmSync(layout, { recursive: true, force: true });
    buildah('manifest', 'push', '--all', index, `oci:${layout}:${version}`);
    return { digest: indexDigest(layout), bytes };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/**
 * The options that keep what buildah stores in a folder.
 * @param {string} work
 */
export function storageOf(work) {
  return ['--storage-driver', 'vfs', '--root', join(work, 'storage'), '--runroot', join(work, 'run')];
}

/**
 * Returns the digest of the index of all architectures, by which a registry finds the image.
 * @param {string} layout
 */
export function indexDigest(layout) {
  const { manifests } = JSON.parse(readFileSync(join(layout, 'index.json'), 'utf8'));
  const [{ digest }] = manifests;
  const blob = readFileSync(join(layout, 'blobs', ...digest.split(':')));
  const actual = `sha256:${createHash('sha256').update(blob).digest('hex')}`;
  if (manifests.length !== 1 || actual !== digest) throw new Error(`${layout} is no layout of one index`);
  return actual;
}

/** @param {Readonly<Record<string, string>>} values */
function argumentsOf(values) {
  return Object.entries(values).flatMap(([name, value]) => ['--build-arg', `${name}=${value}`]);
}

/** @param {string} folder */
function folderBytes(folder) {
  return Number(run('du', ['-s', '--apparent-size', '--block-size=1', folder]).split('\t')[0]);
}
