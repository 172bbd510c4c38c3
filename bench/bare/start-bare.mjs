import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const READY_WITHIN_MILLISECONDS = 30_000;

/**
 * Starts a script of this folder as a process and resolves to { url, stop } when it prints the port that it listens on.
 * @param {string} script
 * @param {{ words?: readonly string[], environment: NodeJS.ProcessEnv }} options
 */
export async function startBare(script, { words = [], environment }) {
  const path = fileURLToPath(new URL(script, import.meta.url));
  const child = spawn(process.execPath, [path, ...words], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  const line = await Promise.race([
    once(createInterface({ input: child.stdout }), 'line'),
    once(child, 'exit').then(([code]) => [`exited with ${code}`]),
    once(AbortSignal.timeout(READY_WITHIN_MILLISECONDS), 'abort').then(() => ['was not ready in time']),
  ]).then(([text]) => text);
  const port = /^ready on (\d+)$/.exec(line)?.[1];
  if (port === undefined) {
    await stop();
    throw new Error(`${script} ${words.join(' ')}: ${line}`);
  }
  return { url: `http://127.0.0.1:${port}`, stop };
}
