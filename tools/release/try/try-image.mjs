import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import testing from '@millrace/testing';
import { storageOf } from '../image/build-image.mjs';
import { run } from '../run.mjs';
import { KEY, runFlow, startServer } from './server.mjs';

const USER = 1000;

/**
 * Pulls the image of this machine's architecture from a registry on it, and runs it in bubblewrap: as its user, without a capability, on a root file system that is read
 * only and on the network of the host. Runs a flow. Returns lines about what happened.
 * @param {{ readonly name: string, readonly work: string, readonly version: string }} options
 */
export async function tryImage({ name, work, version }) {
  const store = storageOf(join(work, 'containers'));
  const container = run('buildah', [...store, 'from', '--tls-verify=false', name]).trim();
  const { OCIv1 } = JSON.parse(run('buildah', [...store, 'inspect', container]));
  const root = run('buildah', [...store, 'mount', container]).trim();
  try {
    const { User, Entrypoint, Env, WorkingDir, Cmd } = OCIv1.config;
    if (User !== `${USER}:${USER}`) throw new Error(`the image runs as ${User}`);
    /** @param {readonly string[]} words */
    const contained = (...words) => [...sealed({ root, Env, cwd: WorkingDir }), ...Entrypoint, ...words];
    const cli = run('bwrap', contained('cli', '--version')).trim();
    if (cli !== version) throw new Error(`the image printed ${cli} instead of ${version}`);
    for (const path of ['LICENSE', 'sbom.cdx.json']) readFileSync(join(root, 'millrace', path));
    const port = await testing.freePort();
    const words = contained(...Cmd, '--port', String(port));
    const server = await startServer('bwrap', words, { port, cwd: work });
    try {
      await runFlow(server.url);
    } finally {
      await server.stop();
    }
    return [
      `image: as ${User} on a root file system that is read only, without capabilities; ready after ${server.seconds.toFixed(1)} s; a flow ran`,
    ];
  } finally {
    run('buildah', [...store, 'umount', container]);
  }
}

/**
 * The options of bubblewrap that give a program what a container runtime gives it.
 * @param {{ readonly root: string, readonly Env: readonly string[], readonly cwd: string }} options
 */
function sealed({ root, Env, cwd }) {
  const variables = [...Env, `MILLRACE_BOOTSTRAP_API_KEY=${KEY}`].flatMap((entry) => {
    const [name = '', ...value] = entry.split('=');
    return ['--setenv', name, value.join('=')];
  });
  return [
    '--ro-bind',
    root,
    '/',
    '--proc',
    '/proc',
    '--dev',
    '/dev',
    '--tmpfs',
    '/tmp',
    '--tmpfs',
    '/data',
    '--unshare-all',
    '--share-net',
    '--uid',
    String(USER),
    '--gid',
    String(USER),
    '--cap-drop',
    'ALL',
    '--die-with-parent',
    '--clearenv',
    ...variables,
    '--chdir',
    cwd,
  ];
}
