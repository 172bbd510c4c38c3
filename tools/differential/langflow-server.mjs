import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { URLSearchParams } from 'node:url';
import { freePort } from '@millrace/testing';
import { findPython } from '../python/find-python.mjs';
import { findProgram } from '../services/find-program.mjs';
import { runCommand } from '../services/run-command.mjs';
import { startServerProcess } from '../services/server-process.mjs';
import { workspaceRoot } from '../workspace/workspace-root.mjs';
import { sendRequest } from './send-request.mjs';

export const LANGFLOW_VERSION = '1.13.0';
/** Langflow, and its bundles with native components here. */
const packages = [
  `langflow-base==${LANGFLOW_VERSION}`,
  `lfx==${LANGFLOW_VERSION}`,
  'lfx-anthropic==0.2.0',
  'lfx-arxiv==0.2.0',
  'lfx-bundles==1.2.4',
  'lfx-cohere==0.2.0',
  'lfx-duckduckgo==0.2.0',
  'lfx-google==0.3.5',
  'lfx-ollama==0.2.0',
  'lfx-openai==0.2.0',
];
const INSTALL_DEADLINE_MILLISECONDS = 30 * 60_000;
const READY_WITHIN_MILLISECONDS = 300_000;
export const PASSWORD = 'differential-1';

/**
 * Returns the folder of a Python environment with Langflow: the given one, or that of the workspace, which is made when it
 * is missing.
 * @param {string | undefined} given
 */
export async function langflowEnvironment(given) {
  if (given !== undefined) return given;
  const folder = join(workspaceRoot, '.millrace', `langflow-${LANGFLOW_VERSION}`);
  const done = join(folder, 'bin', 'langflow');
  if (existsSync(done)) return folder;
  console.log(`Installing Langflow ${LANGFLOW_VERSION} in ${folder}`);
  const python = await findPython();
  const options = { deadlineMilliseconds: INSTALL_DEADLINE_MILLISECONDS };
  const uv = findProgram('uv');
  if (uv === undefined) await runCommand(python.path, ['-m', 'venv', folder], options);
  else await runCommand(uv, ['venv', '--quiet', '--python', python.path, folder], options);
  await installPackages(folder, packages);
  return folder;
}

/**
 * Installs packages from PyPI in a Python environment, with uv where it is installed.
 * @param {string} folder
 * @param {readonly string[]} names
 */
export async function installPackages(folder, names) {
  const uv = findProgram('uv');
  const interpreter = join(folder, 'bin', 'python');
  const options = { deadlineMilliseconds: INSTALL_DEADLINE_MILLISECONDS };
  if (uv === undefined) await runCommand(interpreter, ['-m', 'pip', 'install', '--quiet', ...names], options);
  else await runCommand(uv, ['pip', 'install', '--quiet', '--python', interpreter, ...names], options);
}

/**
 * Starts Langflow without its editor and with its data in a folder of its own, and logs in.
 * @param {{ readonly environment: string, readonly folder: string, readonly modelUrl: string }} options
 */
export async function startLangflow({ environment, folder, modelUrl }) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const words = ['run', '--host', '127.0.0.1', '--port', String(port), '--backend-only'];
  const server = startServerProcess(join(environment, 'bin', 'langflow'), words, {
    log: join(folder, 'log'),
    environment: {
      PATH: process.env.PATH,
      HOME: folder,
      LANGFLOW_CONFIG_DIR: join(folder, 'config'),
      LANGFLOW_AUTO_LOGIN: 'false',
      LANGFLOW_SUPERUSER: 'differential',
      LANGFLOW_SUPERUSER_PASSWORD: PASSWORD,
      LANGFLOW_NEW_USER_IS_ACTIVE: 'true',
      LANGFLOW_RATE_LIMIT_ENABLED: 'false',
      LANGFLOW_LOG_LEVEL: 'error',
      LANGFLOW_SSRF_ALLOWED_HOSTS: '127.0.0.0/8',
      DO_NOT_TRACK: 'true',
      OPENAI_BASE_URL: modelUrl,
      OPENAI_API_KEY: 'sk-unset',
    },
  });
  try {
    await untilReady(url, () => server.endReason());
    return { url, key: await langflowKey(url, 'differential'), stop: () => server.stop() };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/**
 * Logs a user in and returns a new API key.
 * @param {string} url
 * @param {string} username
 * @returns {Promise<string>}
 */
export async function langflowKey(url, username) {
  const credentials = new URLSearchParams({ username, password: PASSWORD });
  const login = await sendRequest(`${url}/api/v1/login`, { method: 'POST', body: credentials });
  const { access_token: token } = /** @type {{ readonly access_token?: string }} */ (await login.json());
  const created = await sendRequest(`${url}/api/v1/api_key/`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    // Millrace gives the first key of a user this name.
    body: JSON.stringify({ name: 'first' }),
  });
  const { api_key: key } = /** @type {{ readonly api_key?: string }} */ (await created.json());
  if (typeof key !== 'string') throw new Error(`Langflow gave ${username} no API key (${created.status})`);
  return key;
}

/**
 * @param {string} url
 * @param {() => string | undefined} endReason
 */
async function untilReady(url, endReason) {
  const deadline = Date.now() + READY_WITHIN_MILLISECONDS;
  for (;;) {
    const reason = endReason();
    if (reason !== undefined) throw new Error(reason);
    const answer = await fetch(`${url}/health_check`).catch(() => undefined);
    if (answer?.ok) return;
    if (Date.now() > deadline) throw new Error('Langflow was not ready in time');
    await pause(500);
  }
}
