import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import testing from '@millrace/testing';
import { parseAllDocuments } from 'yaml';
import { runHelm } from '../../chart/helm.mjs';
import { indexDigest } from '../image/build-image.mjs';
import { requireProgram } from '../../services/find-program.mjs';
import { run } from '../run.mjs';

/**
 * Pushes the image and the chart to a registry on this machine and pulls them again. Throws when they changed, or when the pods of
 * the pulled chart have another image. Meanwhile `tryImage` gets the name of the image. Returns lines about what happened.
 * @param {{ readonly layout: string, readonly chart: string, readonly helm: string, readonly work: string, readonly version: string, readonly tryImage: (name: string) => Promise<readonly string[]> }} options
 */
export async function tryRegistry({ layout, chart, helm, work, version, tryImage }) {
  const address = `127.0.0.1:${await testing.freePort()}`;
  const registry = await startRegistry(address, work);
  try {
    const [name, pulled] = [`docker://${address}/millrace:${version}`, join(work, 'pulled-image')];
    run('skopeo', ['copy', '--all', '--dest-tls-verify=false', `oci:${layout}:${version}`, name]);
    run('skopeo', ['copy', '--all', '--src-tls-verify=false', name, `oci:${pulled}:${version}`]);
    const digest = indexDigest(layout);
    if (indexDigest(pulled) !== digest) throw new Error('the registry returned another image');
    const folder = join(work, 'pulled-chart');
    mkdirSync(folder);
    runHelm(helm, { command: 'push', file: chart, registry: `oci://${address}/charts` });
    runHelm(helm, { command: 'pull', reference: `oci://${address}/charts/millrace`, version, folder });
    const archive = join(folder, `millrace-${version}.tgz`);
    if (sha256(archive) !== sha256(chart)) throw new Error('the registry returned another chart');
    const images = imagesOf(helm, archive);
    if (images.some((image) => !image.endsWith(`:${version}@${digest}`)))
      throw new Error(`the chart runs ${images.join(', ')}, not ${digest}`);
    return [
      `registry: the image ${digest} and the chart came back unchanged; its pods run this image`,
      ...(await tryImage(`${address}/millrace:${version}`)),
    ];
  } finally {
    registry.kill();
  }
}

/**
 * @param {string} address
 * @param {string} work
 */
async function startRegistry(address, work) {
  const configuration = join(work, 'registry.yml');
  const storage = `{ filesystem: { rootdirectory: ${join(work, 'registry')} } }`;
  writeFileSync(configuration, `version: 0.1\nstorage: ${storage}\nhttp: { addr: '${address}' }\n`);
  const child = spawn(requireProgram('docker-registry'), ['serve', configuration], { stdio: 'ignore' });
  await testing.waitUntil(() => fetch(`http://${address}/v2/`), { deadlineMilliseconds: 30_000 });
  return child;
}

/**
 * @param {string} helm
 * @param {string} chart
 * @returns {string[]}
 */
function imagesOf(helm, chart) {
  const values = ['secrets: { existingSecret: millrace }'];
  const files = runHelm(helm, { command: 'render', chart, values, name: 'millrace', namespace: 'millrace' });
  const manifests = Object.entries(files).flatMap(([path, text]) =>
    path.endsWith('.yaml') ? parseAllDocuments(text).map((document) => document.toJS()) : [],
  );
  return manifests.flatMap((manifest) =>
    (manifest?.spec?.template?.spec?.containers ?? []).map(
      (/** @type {{ image: string }} */ { image }) => image,
    ),
  );
}

/** @param {string} path */
function sha256(path) {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}
