// Restate: its server, one node with its default settings, and a service on its SDK for Node.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '@millrace/testing';
import { installWithNpm } from './install-packages.mjs';
import { askPeer, startPeerProcess, untilPeerReady, withPeerFolder } from './peer-process.mjs';

/** @import { InstallOptions } from './install-packages.mjs' */

export const RESTATE_VERSION = '1.7.12';
const SDK_VERSION = '1.17.2';
const READY_WITHIN_MILLISECONDS = 60_000;

/**
 * @param {string} folder
 * @param {InstallOptions} options
 */
export async function installRestate(folder, options) {
  const packages = {
    '@restatedev/restate-server': RESTATE_VERSION,
    '@restatedev/restate-sdk': SDK_VERSION,
  };
  await installWithNpm(folder, packages, options);
}

/**
 * Starts server and service and resolves to { url, stop } when an invocation is answered.
 * @param {string} packages the folder where it is installed
 * @param {{ readonly signal: AbortSignal }} options
 */
export async function startRestate(packages, { signal }) {
  return withPeerFolder('restate', async (folder, onStop) => {
    const [servicePort, ingressPort, adminPort, nodePort] = await freePorts();
    const service = startPeerProcess({
      name: 'The service of Restate',
      program: process.execPath,
      words: [fileURLToPath(new URL('restate-service.cjs', import.meta.url))],
      folder,
      environment: { PEER_PACKAGES: packages, PEER_PORT: String(servicePort) },
    });
    onStop(service.stop);
    const server = startPeerProcess({
      name: 'Restate',
      program: serverProgram(packages),
      words: [
        '--no-logo',
        '--listen-mode',
        'tcp',
        '--node-name',
        'bench',
        '--base-dir',
        join(folder, 'data'),
      ],
      folder,
      environment: {
        RESTATE_DISABLE_TELEMETRY: 'true',
        RESTATE_LOG_FILTER: 'warn',
        RESTATE_BIND_ADDRESS: `127.0.0.1:${nodePort}`,
        RESTATE_ADVERTISED_ADDRESS: `http://127.0.0.1:${nodePort}`,
        RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingressPort}`,
        RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${adminPort}`,
      },
    });
    onStop(server.stop);
    const url = `http://127.0.0.1:${ingressPort}/Echo/run`;
    const deadline = { deadlineMilliseconds: READY_WITHIN_MILLISECONDS, signal };
    await untilPeerReady('Restate', [service, server], {
      ask: () =>
        askPeer(`http://127.0.0.1:${adminPort}/deployments`, {
          body: { uri: `http://127.0.0.1:${servicePort}` },
        }),
      ...deadline,
    });
    await untilPeerReady('Restate', [service, server], {
      ask: () => askPeer(url, { body: { input_value: 'hello' } }),
      ...deadline,
    });
    return { url };
  });
}

/**
 * Resolves to different ports, which no process uses now.
 * @returns {Promise<readonly number[]>}
 */
async function freePorts() {
  /** @type {Set<number>} */
  const ports = new Set();
  while (ports.size < 4) ports.add(await freePort());
  return [...ports];
}

/**
 * Returns the path of the server's program: npm installs the package for this platform.
 * @param {string} packages
 */
function serverProgram(packages) {
  const scope = join(packages, 'node_modules', '@restatedev');
  const name = readdirSync(scope).find((one) => one.startsWith('restate-server-'));
  if (name === undefined) throw new Error(`Restate has no server for ${process.platform}-${process.arch}`);
  return join(scope, name, 'bin', 'restate-server');
}
