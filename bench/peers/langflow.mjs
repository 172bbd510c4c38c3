// Langflow as `langflow run` starts it: one worker process, SQLite unless it gets a database. The flow is made of the
// components that this release lists.
import { join } from 'node:path';
import { freePort } from '@millrace/testing';
import { installWithPython } from './install-packages.mjs';
import { askPeer, startPeerProcess, untilPeerReady, withPeerFolder } from './peer-process.mjs';

/** @import { InstallOptions } from './install-packages.mjs' */

export const LANGFLOW_VERSION = '1.13.0';
/** Its first start compiles gigabytes of packages. */
const READY_WITHIN_MILLISECONDS = 600_000;

/**
 * @param {string} folder
 * @param {InstallOptions} options
 */
export async function installLangflow(folder, options) {
  await installWithPython(folder, 'langflow[postgresql]', LANGFLOW_VERSION, options);
}

/**
 * Starts Langflow with Chat Input → Chat Output; resolves to { url, headers, stop } when the flow is stored. `databaseUrl`
 * is that of an empty database on PostgreSQL; default SQLite.
 * @param {string} packages the folder where it is installed
 * @param {{ readonly databaseUrl?: string, readonly signal: AbortSignal }} options
 */
export async function startLangflow(packages, { databaseUrl, signal }) {
  return withPeerFolder('langflow', async (folder, onStop) => {
    const port = await freePort();
    const server = startPeerProcess({
      name: 'Langflow',
      program: join(packages, 'venv', 'bin', 'langflow'),
      words: ['run', '--host', '127.0.0.1', '--port', String(port), '--backend-only', '--no-open-browser'],
      folder,
      environment: {
        LANGFLOW_CONFIG_DIR: folder,
        // Langflow refuses the short form of the scheme.
        LANGFLOW_DATABASE_URL:
          databaseUrl?.replace(/^postgres:/, 'postgresql:') ?? `sqlite:///${join(folder, 'langflow.db')}`,
        LANGFLOW_AUTO_LOGIN: 'true',
        LANGFLOW_DO_NOT_TRACK: 'true',
      },
    });
    onStop(server.stop);
    const base = `http://127.0.0.1:${port}`;
    const { access_token: token } = await untilPeerReady('Langflow', [server], {
      ask: () => askPeer(`${base}/api/v1/auto_login`),
      deadlineMilliseconds: READY_WITHIN_MILLISECONDS,
      signal,
    });
    const session = { authorization: `Bearer ${token}` };
    const { api_key: key } = await askPeer(`${base}/api/v1/api_key/`, {
      headers: session,
      body: { name: 'bench' },
    });
    const headers = { 'x-api-key': key };
    const { input_output: components } = await askPeer(`${base}/api/v1/all`, { headers: session });
    const { id } = await askPeer(`${base}/api/v1/flows/`, {
      headers,
      body: { name: 'bench', data: echoFlow(components) },
    });
    return { url: `${base}/api/v1/run/${id}?stream=false`, headers };
  });
}

/**
 * Returns the data of a flow in the form that Langflow's editor saves.
 * @param {Readonly<Record<string, any>>} components
 */
function echoFlow({ ChatInput: input, ChatOutput: output }) {
  const sourceHandle = {
    dataType: 'ChatInput',
    id: 'ChatInput-bench',
    name: 'message',
    output_types: ['Message'],
  };
  const { input_types: inputTypes, type } = output.template.input_value;
  const targetHandle = { fieldName: 'input_value', id: 'ChatOutput-bench', inputTypes, type };
  const edge = {
    id: 'edge',
    source: 'ChatInput-bench',
    target: 'ChatOutput-bench',
    sourceHandle: handleText(sourceHandle),
    targetHandle: handleText(targetHandle),
    data: { sourceHandle, targetHandle },
  };
  const nodes = [vertex('ChatInput', input, 0), vertex('ChatOutput', output, 400)];
  return { nodes, edges: [edge], viewport: { x: 0, y: 0, zoom: 1 } };
}

/**
 * @param {string} type
 * @param {object} node
 * @param {number} x
 */
function vertex(type, node, x) {
  const id = `${type}-bench`;
  return { id, type: 'genericNode', position: { x, y: 0 }, data: { id, type, node } };
}

/**
 * Returns the text of a handle, in which Langflow writes œ for quotation marks.
 * @param {object} handle
 */
function handleText(handle) {
  return JSON.stringify(handle).replaceAll('"', 'œ');
}
