import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { startServiceProcess } from '@millrace/scaled-system';
import { embeddedTexts } from './embedded-texts.mjs';
import { langflowEnvironment, tokenizersOf } from './langflow-environment.mjs';
import { langflowKey, PASSWORD, startLangflow } from './langflow-server.mjs';
import { startModelRecorder } from './model-recorder.mjs';
import { sendRequest } from './send-request.mjs';

/** In a container, Langflow replaces 127.0.0.1 by the address of the container's host. */
const LANGFLOW_MODEL_HOST = process.platform === 'linux' ? '127.0.0.2' : '127.0.0.1';

const LOCKED_TRIES = 5;

/** The file of the tokens of embedding models. */
const CL100K_BASE = '9b5ad71b2ce5302211f9c61530b329a4922fc6a4';

/**
 * @typedef {Awaited<ReturnType<typeof startModelRecorder>>} Recorder
 *
 * @typedef {object} Target One of both servers.
 * @property {'langflow' | 'millrace'} name
 * @property {string} url
 * @property {string} key of an admin
 * @property {Recorder} recorder
 * @property {(username: string) => Promise<string>} newAccount Creates a user; resolves to their API key.
 * @property {() => Promise<unknown>} stop
 *
 * @typedef {{ readonly url?: string, readonly key?: string, readonly environment?: string }} LangflowPlace
 *
 * @typedef {{ readonly langflows: readonly Target[], readonly millrace: Target, stop(): Promise<void> }} Targets
 */

/**
 * Starts Langflow, several times when `langflows` is more than one, and Millrace with data of their own below a folder, with
 * a recorder before the model server. With `before`, the environment of another Langflow, that runs in Millrace's place.
 * @param {{ readonly folder: string, readonly modelOrigin: string, readonly langflow: LangflowPlace,
 *   readonly langflows: number, readonly before: string | undefined }} options
 * @returns {Promise<Targets>}
 */
export async function openTargets({ folder, modelOrigin, langflow, langflows, before }) {
  const environment =
    langflow.url === undefined ? await langflowEnvironment(langflow.environment) : undefined;
  const first = await startModelRecorder(
    modelOrigin,
    LANGFLOW_MODEL_HOST,
    environment === undefined ? undefined : embeddedTexts(join(tokenizersOf(environment), CL100K_BASE)),
  );
  const second = await startModelRecorder(
    modelOrigin,
    before === undefined ? undefined : LANGFLOW_MODEL_HOST,
  );
  const stops = [first.close, second.close];
  const stop = async () => {
    await Promise.allSettled(stops.map((close) => close()));
  };
  try {
    const count = langflow.url === undefined ? langflows : 1;
    const place = { ...langflow, environment };
    const started = await Promise.allSettled([
      before === undefined
        ? openMillrace(join(folder, 'millrace'), second)
        : openLangflow(join(folder, 'langflow-before'), second, {
            environment: await langflowEnvironment(before),
          }),
      ...Array.from({ length: count }, async (_, index) =>
        openLangflow(join(folder, `langflow-${index + 1}`), first, place),
      ),
    ]);
    for (const one of started)
      if (one.status === 'fulfilled') stops.unshift(async () => void (await one.value.stop()));
    for (const one of started) if (one.status === 'rejected') throw one.reason;
    const [millrace, ...others] = started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    return { langflows: others, millrace, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * @param {string} folder
 * @param {Recorder} recorder
 * @param {LangflowPlace} place
 * @returns {Promise<Target>}
 */
async function openLangflow(folder, recorder, { url, key, environment }) {
  const server =
    url === undefined
      ? await startLangflow({
          environment: environment ?? '',
          folder,
          modelUrl: recorder.url,
        })
      : { url, key: key ?? '', stop: async () => undefined };
  const newAccount = async (/** @type {string} */ username) => {
    await post(server, '/api/v1/users/', { username, password: PASSWORD });
    const made = { url: server.url, key: await langflowKey(server.url, username) };
    // A server that was started elsewhere does not know the model server.
    const variable = { name: 'OPENAI_BASE_URL', value: recorder.url, type: 'Generic', default_fields: [] };
    if (url !== undefined) await post(made, '/api/v1/variables/', variable);
    return made.key;
  };
  return { name: 'langflow', ...server, recorder, newAccount };
}

/**
 * @param {string} folder
 * @param {Recorder} recorder
 * @returns {Promise<Target>}
 */
async function openMillrace(folder, recorder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const service = await startServiceProcess({
    app: 'standalone',
    flags: ['--port', '0', '--data', folder],
    environment: {
      MILLRACE_OUTGOING_ALLOW: '127.0.0.1/32',
      OPENAI_BASE_URL: recorder.url,
      OPENAI_API_KEY: 'sk-unset',
    },
  });
  const server = {
    url: `http://127.0.0.1:${service.ready.port}`,
    key: readFileSync(join(folder, 'api-key'), 'utf8').trim(),
    stop: () => service.stop(),
  };
  const newAccount = async (/** @type {string} */ username) =>
    (await post(server, '/api/v1/users', { username })).api_key;
  return { name: 'millrace', ...server, recorder, newAccount };
}

/**
 * @param {{ readonly url: string, readonly key: string }} server
 * @param {string} path
 * @param {object} body
 * @returns {Promise<any>}
 */
async function post({ url, key }, path, body) {
  for (let left = LOCKED_TRIES; ; left -= 1) {
    const response = await sendRequest(`${url}${path}`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (response.ok) return response.json();
    const text = await response.text();
    // Langflow fails when another case holds its SQLite for long.
    if (left > 0 && text.includes('database is locked')) continue;
    throw new Error(`${path} of ${url} answers ${response.status}: ${text}`);
  }
}
