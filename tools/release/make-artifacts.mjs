import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { buildImage } from './image/build-image.mjs';
import { makeImageFiles } from './image/image-files.mjs';
import { notesOf } from './changelog.mjs';
import { makePackage } from './make-package.mjs';
import { packageChart } from './package-chart.mjs';
import { run } from './run.mjs';
import { makeSbom } from './sbom.mjs';
import { workspaceRoot } from '../workspace/workspace-root.mjs';

/** Where `npm run release` writes. */
export const RELEASE = join(workspaceRoot, 'dist', 'release');
const IMAGE_FILES = join(workspaceRoot, 'dist', 'image');

/**
 * Makes the package, the SBOM, the image and the chart of the present version in dist/release, with their checksums.
 * `repository` is where the chart finds the image.
 * @param {{ readonly helm: string, readonly repository: string }} options
 */
export async function makeArtifacts({ helm, repository }) {
  const { version } = JSON.parse(readFileSync(join(workspaceRoot, 'package.json'), 'utf8'));
  const { epoch, revision } = commit();
  rmSync(RELEASE, { recursive: true, force: true });
  const tarball = await makeFiles();
  const layout = join(workspaceRoot, 'dist', 'image-layout');
  const { digest, bytes } = buildImage({ files: IMAGE_FILES, layout, version, revision, epoch });
  archive(layout, join(RELEASE, `millrace-image-${version}.oci.tar`), epoch);
  rmSync(layout, { recursive: true });
  writeFileSync(join(RELEASE, 'image-digest.txt'), `${digest}\n`);
  const changelog = readFileSync(join(workspaceRoot, 'CHANGELOG.md'), 'utf8');
  writeFileSync(join(RELEASE, 'notes.md'), `${notesOf(changelog, version)}\n`);
  packageChart({ helm, folder: RELEASE, repository, digest, epoch });
  writeChecksums();
  return { tarball, digest, bytes };
}

/** Makes the package, its SBOM, and the folder of the image in dist/image; returns the package. */
export async function makeFiles() {
  const { file: tarball } = await makePackage(RELEASE);
  const sbom = tarball.replace(/\.tgz$/, '.cdx.json');
  makeSbom(sbom);
  makeImageFiles({ folder: IMAGE_FILES, tarball, sbom });
  return tarball;
}

/** The artifacts in dist/release with their sizes and digests, by name. */
export function listArtifacts() {
  return readdirSync(RELEASE)
    .filter((name) => name !== 'SHA256SUMS')
    .sort()
    .map((name) => ({
      name,
      bytes: statSync(join(RELEASE, name)).size,
      sha256: createHash('sha256')
        .update(readFileSync(join(RELEASE, name)))
        .digest('hex'),
    }));
}

function writeChecksums() {
  const lines = listArtifacts().map(({ name, sha256 }) => `${sha256}  ${basename(name)}\n`);
  writeFileSync(join(RELEASE, 'SHA256SUMS'), lines.join(''));
}

/** The commit, and its time in seconds, which all files of the image have. SOURCE_DATE_EPOCH and REVISION set others. */
function commit() {
  const { SOURCE_DATE_EPOCH, REVISION } = process.env;
  const git = (/** @type {string} */ format) =>
    run('git', ['log', '-1', `--format=${format}`], { cwd: workspaceRoot }).trim();
  return { epoch: Number(SOURCE_DATE_EPOCH ?? git('%ct')), revision: REVISION ?? git('%H') };
}

/**
 * @param {string} folder
 * @param {string} file
 * @param {number} epoch
 */
function archive(folder, file, epoch) {
  const owner = ['--owner=0', '--group=0', '--numeric-owner', '--mode=u=rwX,go=rX'];
  run('tar', ['--sort=name', `--mtime=@${epoch}`, ...owner, '-C', folder, '-cf', file, '.']);
}
