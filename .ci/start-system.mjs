import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { prepareWorkspace } from '../tools/workspace/prepare-workspace.mjs';
import { acquireServices } from '../tools/services/acquire-services.mjs';

const KEY = 'sk-conformance-0123456789abcdefghijklmnopqrstuvwxyz';
const READY_WITHIN_MILLISECONDS = 180_000;
const STOPPED_WITHIN_MILLISECONDS = 30_000;

/**
 * Starts a `standalone` or a `scaled` Millrace that accepts a key and calls model servers on this machine. Resolves to
 * { url, key, stop }.
 */
export async function startSystem(kind, { folder, environment }) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const services = kind === 'scaled' ? await scaledServices() : null;
  const words =
    services === null
      ? ['tools/start.mjs', '--port', String(port), '--data', join(folder, 'data')]
      : ['.ci/scaled-system.mjs'];
  const child = spawn(process.execPath, words, {
    env: {
      ...process.env,
      ...environment,
      DATABASE_URL: services?.urls.database ?? '',
      AMQP_URL: services?.urls.broker ?? '',
      REDIS_URL: services?.urls.keyValue ?? '',
      MILLRACE_PREFIX: services?.prefix ?? '',
      PORT: String(port),
      MILLRACE_BOOTSTRAP_API_KEY: KEY,
      MILLRACE_OUTGOING_ALLOW: '127.0.0.1/32',
      // The processes of a scaled system report that they are ready at the level info.
      LOG_LEVEL: services === null ? 'warn' : 'info',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let isComplete = services === null;
  child.stdout.on('data', (text) => {
    isComplete ||= String(text).includes('all services are ready');
  });
  const exited = new Promise((resolveExit) => child.once('exit', resolveExit));
  const stop = async () => {
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), STOPPED_WITHIN_MILLISECONDS);
    await exited;
    clearTimeout(timer);
    await services?.stop();
  };
  const giveUpAt = Date.now() + READY_WITHIN_MILLISECONDS;
  while (!isComplete || !(await isReady(url))) {
    if (child.exitCode !== null || Date.now() > giveUpAt) {
      await stop();
      throw new Error(`the ${kind} system did not start`);
    }
    await new Promise((wait) => setTimeout(wait, 200));
  }
  return { url, key: KEY, stop };
}

/** Builds the services, and finds or starts the servers they need, with a database of their own. */
function scaledServices() {
  prepareWorkspace({ build: true });
  return acquireServices({ print: () => undefined });
}

async function isReady(url) {
  try {
    return (await fetch(`${url}/readyz`)).ok;
  } catch {
    return false;
  }
}

function freePort() {
  return new Promise((resolvePort) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolvePort(port));
    });
  });
}
