import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, waitUntil } from '../../libs/testing/src/index.cjs';
import { acquireServices } from '../services/acquire-services.mjs';
import { workspaceRoot } from '../workspace/workspace-root.mjs';

/**
 * @typedef {object} SystemOptions
 * @property {string} system
 * @property {readonly string[]} hosts
 * @property {string} folder
 * @property {string} authority the path of a certificate
 * @property {Readonly<Record<string, string>>} environment
 * @property {readonly (readonly [string, string])[]} mounts files in place of others, as [file, place]
 */

const READY_WITHIN_MILLISECONDS = 120_000;

/** Puts each file before `--` in its place, then runs the command after it. */
const mountAndRun =
  'while [ "$1" != -- ]; do mount --bind "$1" "$2" || exit; shift 2; done; shift; exec "$@"';

/**
 * Starts Millrace, `standalone` or `scaled`, in a separate mount namespace in which these hosts resolve to this machine.
 * `mounts` are further files to replace there. Resolves to { url, key, stop }. Writes its output to `<folder>/system.log`. Needs Linux and root.
 * @param {SystemOptions} options
 */
export async function startSystem({ system, hosts, folder, authority, environment, mounts }) {
  const hostsFile = join(folder, 'hosts');
  writeFileSync(
    hostsFile,
    `${readFileSync('/etc/hosts', 'utf8')}\n${hosts.map((host) => `127.0.0.1 ${host}`).join('\n')}\n`,
  );
  const port = await freePort();
  const key = 'sk-flow-table-0123456789abcdef';
  const services = system === 'scaled' ? await acquireServices() : null;
  const script =
    services === null
      ? ['tools/start.mjs', '--port', String(port), '--data', join(folder, 'data')]
      : ['tools/flow-table/scaled-system.mjs'];
  const words = [process.execPath, ...script];
  /** @type {Buffer[]} */
  const log = [];
  const child = spawn(
    'unshare',
    [
      '--mount',
      'sh',
      '-c',
      mountAndRun,
      'sh',
      ...[[hostsFile, '/etc/hosts'], ...mounts].flat(),
      '--',
      ...words,
    ],
    {
      cwd: workspaceRoot,
      env: {
        ...process.env,
        ...environment,
        NODE_EXTRA_CA_CERTS: authority,
        MILLRACE_OUTGOING_ALLOW: '127.0.0.1/32',
        MILLRACE_BOOTSTRAP_API_KEY: key,
        MILLRACE_EXAMPLES_DIRECTORY: '',
        PORT: String(port),
        DATABASE_URL: services?.urls.database ?? '',
        AMQP_URL: services?.urls.broker ?? '',
        REDIS_URL: services?.urls.keyValue ?? '',
        MILLRACE_PREFIX: services?.prefix ?? '',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => log.push(text));
  const url = `http://127.0.0.1:${port}`;
  const stop = async () => {
    if (child.exitCode === null) {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
    writeFileSync(join(folder, 'system.log'), Buffer.concat(log));
    await services?.stop();
  };
  try {
    await waitUntil(() => readyAt(url), {
      deadlineMilliseconds: READY_WITHIN_MILLISECONDS,
      fatalReason: () => (child.exitCode === null ? undefined : `the system exited: ${Buffer.concat(log)}`),
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, key, stop };
}

/** @param {string} url */
async function readyAt(url) {
  const answer = await fetch(`${url}/readyz`);
  if (!answer.ok) throw new Error(`not ready: ${answer.status}`);
}
