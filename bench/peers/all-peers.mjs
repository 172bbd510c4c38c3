// The products beside which the bench measures Millrace, each installed in a folder of its own: none of their packages are
// packages of this workspace.
import { join } from 'node:path';
import { messageOf } from '../../tools/workspace/error-fields.mjs';
import { installLangflow, LANGFLOW_VERSION, startLangflow } from './langflow.mjs';
import { installNodeRed, NODE_RED_VERSION, startNodeRed } from './node-red.mjs';
import { installRestate, RESTATE_VERSION, startRestate } from './restate.mjs';

/** @import { InstallOptions } from './install-packages.mjs' */

/**
 * @typedef {keyof typeof peers} PeerName
 *
 * @typedef {object} InstalledPeers
 * @property {string} folder with a folder for each
 * @property {Readonly<Record<string, string>>} failures By name, why it is not installed.
 * @property {AbortSignal} signal ends the start of a peer
 *
 * @typedef {{ readonly url: string, readonly headers?: Readonly<Record<string, string>>, readonly stop: () => Promise<void> }} Peer
 */

const peers = {
  'node-red': { version: NODE_RED_VERSION, install: installNodeRed, start: startNodeRed },
  restate: { version: RESTATE_VERSION, install: installRestate, start: startRestate },
  langflow: { version: LANGFLOW_VERSION, install: installLangflow, start: startLangflow },
};

/**
 * Installs all peers that are not installed. One that cannot be installed has its reason in `failures`.
 * @param {string} folder
 * @param {InstallOptions} options
 * @returns {Promise<InstalledPeers>}
 */
export async function installPeers(folder, options) {
  /** @type {Record<string, string>} */
  const failures = {};
  for (const [name, { install }] of Object.entries(peers)) {
    if (options.signal.aborted) break;
    await install(join(folder, name), options).catch((error) => {
      failures[name] = `not installed: ${messageOf(error)}`;
      options.print(`${name} is ${failures[name]}`);
    });
  }
  return { folder, failures, signal: options.signal };
}

/**
 * Starts a peer; rejects with the reason when it is not installed.
 * @param {InstalledPeers} installed
 * @param {PeerName} name
 * @param {{ readonly databaseUrl?: string }} [options]
 * @returns {Promise<Peer>}
 */
export async function startPeer({ folder, failures, signal }, name, options) {
  if (failures[name] !== undefined) throw new Error(failures[name]);
  return peers[name].start(join(folder, name), { ...options, signal });
}

/** @param {PeerName} name */
export function peerVersion(name) {
  return peers[name].version;
}
