import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { URLSearchParams } from 'node:url';
import { freePort } from '@millrace/testing';
import { startServerProcess } from '../services/server-process.mjs';
import { tokenizersOf } from './langflow-environment.mjs';
import { sendRequest } from './send-request.mjs';

const LOGINS = 5;
const READY_WITHIN_MILLISECONDS = 300_000;
/** 32 bytes, as Langflow needs. */
const SECRET_KEY = Buffer.from('of differential runs, no secret!').toString('base64url').padEnd(44, '=');
export const PASSWORD = 'differential-1';

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
      // Or all servers of an environment share one.
      LANGFLOW_DATABASE_URL: `sqlite:///${join(folder, 'langflow.db')}`,
      // Without one, each process of a Langflow that starts can make its own.
      LANGFLOW_SECRET_KEY: SECRET_KEY,
      LANGFLOW_AUTO_LOGIN: 'false',
      LANGFLOW_SUPERUSER: 'differential',
      LANGFLOW_SUPERUSER_PASSWORD: PASSWORD,
      LANGFLOW_NEW_USER_IS_ACTIVE: 'true',
      LANGFLOW_RATE_LIMIT_ENABLED: 'false',
      // Or each user has variables of the names that it knows.
      LANGFLOW_STORE_ENVIRONMENT_VARIABLES: 'false',
      // Its editor's assistant gives each user variables, too.
      LANGFLOW_AGENTIC_EXPERIENCE: 'false',
      // Without one, the first embedding downloads an encoding, which litellm has under the name that tiktoken looks for.
      TIKTOKEN_CACHE_DIR: tokenizersOf(environment),
      // It highlights the text of each traceback, which takes most of its time.
      LANGFLOW_LOG_LEVEL: 'critical',
      LANGFLOW_PRETTY_LOGS: 'false',
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
  const token = await loginToken(url, username);
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
 * Logs in, several times when Langflow does not see a new user yet.
 * @param {string} url
 * @param {string} username
 */
async function loginToken(url, username) {
  const body = new URLSearchParams({ username, password: PASSWORD });
  for (let attempt = 1; ; attempt += 1) {
    const login = await sendRequest(`${url}/api/v1/login`, { method: 'POST', body });
    const { access_token: token } = /** @type {{ readonly access_token?: string }} */ (await login.json());
    if (token !== undefined) return token;
    if (attempt === LOGINS) throw new Error(`Langflow does not log ${username} in (${login.status})`);
    await pause(1000);
  }
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
