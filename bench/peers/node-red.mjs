// Node-RED with one flow that answers POST /run with the text of its input.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '@millrace/testing';
import { installWithNpm } from './install-packages.mjs';
import { askPeer, startPeerProcess, untilPeerReady, withPeerFolder } from './peer-process.mjs';

/** @import { InstallOptions } from './install-packages.mjs' */

export const NODE_RED_VERSION = '5.0.7';
const PG_VERSION = '8.23.1';
const READY_WITHIN_MILLISECONDS = 60_000;

/**
 * @param {string} folder
 * @param {InstallOptions} options
 */
export async function installNodeRed(folder, options) {
  await installWithNpm(folder, { 'node-red': NODE_RED_VERSION, pg: PG_VERSION }, options);
}

/**
 * Starts Node-RED and resolves to { url, stop } when it responds. With the URL of a database, its flow writes a row for
 * each request before it answers.
 * @param {string} packages the folder where it is installed
 * @param {{ readonly databaseUrl?: string, readonly signal: AbortSignal }} options
 */
export async function startNodeRed(packages, { databaseUrl, signal }) {
  return withPeerFolder('node-red', async (folder, onStop) => {
    const port = await freePort();
    writeFileSync(join(folder, 'flows.json'), JSON.stringify(flow(databaseUrl !== undefined)));
    const settings = fileURLToPath(new URL('node-red-settings.cjs', import.meta.url));
    const program = join(packages, 'node_modules', 'node-red', 'red.js');
    const server = startPeerProcess({
      name: 'Node-RED',
      program: process.execPath,
      words: [program, '--settings', settings, '--userDir', folder],
      folder,
      environment: {
        PEER_PORT: String(port),
        PEER_PACKAGES: packages,
        ...(databaseUrl === undefined ? {} : { PEER_DATABASE_URL: databaseUrl }),
      },
    });
    onStop(server.stop);
    const url = `http://127.0.0.1:${port}/run`;
    await untilPeerReady('Node-RED', [server], {
      ask: () => askPeer(url, { body: { input_value: 'hello' } }),
      deadlineMilliseconds: READY_WITHIN_MILLISECONDS,
      signal,
    });
    return { url };
  });
}

/** The table for the rows of the flow. */
export const rowsTable = `CREATE TABLE requests (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  at timestamptz NOT NULL DEFAULT now(),
  input text NOT NULL,
  output jsonb NOT NULL
)`;

/** The statement has a name, so that PostgreSQL prepares it once for each connection. */
const writeRow = `
const statement = { name: 'keep', text: 'INSERT INTO requests (input, output) VALUES ($1, $2)' };
const values = [msg.payload.text, JSON.stringify(msg.payload)];
await global.get('pool').query({ ...statement, values });
return msg;`;

/** @param {boolean} keepsRows */
function flow(keepsRows) {
  const rules = [{ t: 'move', p: 'payload.input_value', pt: 'msg', to: 'payload.text', tot: 'msg' }];
  const keep = { id: 'keep', z: 'tab', type: 'function', func: writeRow, outputs: 1, wires: [['out']] };
  return [
    { id: 'tab', type: 'tab', label: 'echo' },
    { id: 'in', z: 'tab', type: 'http in', url: '/run', method: 'post', wires: [['echo']] },
    { id: 'echo', z: 'tab', type: 'change', rules, wires: [[keepsRows ? 'keep' : 'out']] },
    ...(keepsRows ? [keep] : []),
    { id: 'out', z: 'tab', type: 'http response', statusCode: '200', wires: [] },
  ];
}
