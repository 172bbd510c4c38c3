import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServiceProcess } from '@millrace/scaled-system';
import { workspaceRoot } from '../../tools/workspace/workspace-root.mjs';
import { closedLoop } from '../load/closed-loop.mjs';

/** @typedef {{ readonly url: string, readonly headers: Readonly<Record<string, string>> }} Target */

const ANSWER = 'a text of the bench';
const SAVING_MILLISECONDS = 120_000;
const AUTHORS = join(workspaceRoot, 'libs', 'python', 'src', 'testing');

/**
 * Starts standalone with embedded parts and Python; resolves to { url, headers, stop }.
 * @param {string} environment the folder of the Python environment
 */
export async function startStandalone(environment) {
  const data = mkdtempSync(join(tmpdir(), 'millrace-bench-'));
  const key = `sk-${randomBytes(32).toString('base64url')}`;
  try {
    const service = await startServiceProcess({
      app: 'standalone',
      flags: ['--port', '0', '--data', data, '--python'],
      environment: {
        DATABASE_URL: '',
        AMQP_URL: '',
        REDIS_URL: '',
        LOG_LEVEL: 'info',
        MILLRACE_BOOTSTRAP_API_KEY: key,
        MILLRACE_PYTHON_ENVIRONMENT: environment,
      },
    });
    return {
      url: `http://127.0.0.1:${service.ready.port}`,
      headers: { 'x-api-key': key },
      stop: async () => {
        await service.stop();
        rmSync(data, { recursive: true, force: true, maxRetries: 5 });
      },
    };
  } catch (error) {
    rmSync(data, { recursive: true, force: true, maxRetries: 5 });
    throw error;
  }
}

/**
 * Uploads a flow of one component in Python to a server with Langflow's interface. Resolves to a function that measures
 * runs/s with 1 and with 16 callers, `seconds` each; it rejects when a run fails or answers something else.
 * @param {Target} target
 * @param {string} python the interpreter that writes the node as Langflow's editor saves it
 */
export async function httpRuns({ url, headers }, python) {
  const response = await fetch(`${url}/api/v1/flows/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ name: `bench-${randomBytes(4).toString('hex')}`, data: oneComponent(python) }),
    signal: AbortSignal.timeout(SAVING_MILLISECONDS),
  });
  if (response.status !== 201)
    throw new Error(
      `${url} refused the flow with ${response.status}: ${(await response.text()).slice(0, 500)}`,
    );
  const { id } = /** @type {{ id: string }} */ (await response.json());
  /**
   * @param {number} seconds
   * @returns {Promise<Record<string, number>>}
   */
  return async (seconds) => {
    const run = { url: `${url}/api/v1/run/${id}?stream=false`, headers, expected: ANSWER };
    const body = { input_value: '', input_type: 'chat', output_type: 'debug' };
    const perSecond = async (/** @type {number} */ connections) => {
      await closedLoop({ ...run, body, connections, seconds: Math.max(1, seconds / 2) });
      const {
        perSecond: measured,
        errors,
        problems,
      } = await closedLoop({ ...run, body, connections, seconds });
      if (errors > 0) throw new Error(`${errors} runs of ${url} failed: ${problems}`);
      return measured;
    };
    return { runsOf1: await perSecond(1), runsOf16: await perSecond(16) };
  };
}

/** @param {string} python */
function oneComponent(python) {
  const words = ['saved-nodes.py', 'authors'].map((name) => join(AUTHORS, name));
  const printed = execFileSync(python, [words[0], join(workspaceRoot, 'apps', 'python-worker'), words[1]], {
    timeout: SAVING_MILLISECONDS,
    maxBuffer: 16 << 20,
    encoding: 'utf8',
  });
  const { node } = JSON.parse(printed).text_component;
  node.template.input_value.value = ANSWER;
  const id = 'OwnTextOutput-bench';
  const data = { id, type: 'OwnTextOutput', node };
  return {
    nodes: [{ id, type: 'genericNode', position: { x: 0, y: 0 }, data }],
    edges: [],
    viewport: { x: 0, y: 0, zoom: 1 },
  };
}
