import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import testing from '@millrace/testing';

const START_MILLISECONDS = 120_000;
const STOP_MILLISECONDS = 60_000;
const TEXT = 'hello from a release';

/** A user's environment: no setting of this process reaches the server. */
const { PATH = '', HOME = '' } = process.env;
export const KEY = `sk-${randomBytes(24).toString('hex')}`;

/**
 * Starts a standalone server with the examples, and resolves when it is ready.
 * @param {string} program
 * @param {readonly string[]} words
 * @param {{ readonly port: number, readonly cwd: string, readonly environment?: Readonly<Record<string, string>> }} options
 */
export async function startServer(program, words, { port, cwd, environment = {} }) {
  const url = `http://127.0.0.1:${port}`;
  const started = Date.now();
  let output = '';
  const child = spawn(program, words, {
    cwd,
    env: { PATH, HOME, MILLRACE_BOOTSTRAP_API_KEY: KEY, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => (output = (output + chunk).slice(-4_000)));
  const ended = new Promise((resolve) => child.once('close', resolve));
  const stop = async () => {
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MILLISECONDS);
    await ended;
    clearTimeout(timer);
  };
  try {
    await testing.waitUntil(() => answerOf(`${url}/readyz`), {
      deadlineMilliseconds: START_MILLISECONDS,
      fatalReason: () => (child.exitCode === null ? undefined : `${program} ended: ${output}`),
    });
  } catch (error) {
    await stop();
    throw new Error(`${program} is not ready: ${output}`, { cause: error });
  }
  return { url, stop, seconds: (Date.now() - started) / 1000 };
}

/**
 * Runs the example flow and throws when its answer is another one.
 * @param {string} url
 */
export async function runFlow(url) {
  const answer = await answerOf(`${url}/api/v1/run/echo`, { input_value: TEXT });
  if (!answer.includes(TEXT)) throw new Error(`${url} answered ${answer.slice(0, 500)}`);
}

/**
 * The number of runs that the server has recorded.
 * @param {string} url
 */
export async function countRuns(url) {
  const { total, runs } = JSON.parse(await answerOf(`${url}/api/v1/runs`));
  return Number(total ?? runs?.length);
}

/**
 * @param {string} url
 * @param {unknown} [body]
 */
async function answerOf(url, body) {
  const response = await fetch(url, {
    headers: { 'x-api-key': KEY, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(30_000),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${text.slice(0, 500)}`);
  return text;
}
