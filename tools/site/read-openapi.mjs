import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { workspaceRoot } from '../workspace/workspace-root.mjs';

const START_MILLISECONDS = 60_000;

/**
 * Resolves to the OpenAPI document, as the built standalone application serves it.
 * @returns {Promise<import('./openapi').OpenApi>}
 */
export async function readOpenApi() {
  const data = mkdtempSync(join(tmpdir(), 'millrace-guide-'));
  const main = join(workspaceRoot, 'dist', 'apps', 'standalone', 'main.cjs');
  const server = spawn(process.execPath, [main, '--port', '0', '--data', data], {
    cwd: data,
    env: { ...process.env, DATABASE_URL: '', AMQP_URL: '', REDIS_URL: '', HOST: '127.0.0.1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exit = new Promise((resolve) => server.once('exit', resolve));
  const deadline = setTimeout(() => server.kill('SIGKILL'), START_MILLISECONDS);
  try {
    const answer = await fetch(`${await addressOf(server.stdout)}/openapi.json`);
    return /** @type {import('./openapi').OpenApi} */ (await answer.json());
  } finally {
    clearTimeout(deadline);
    server.kill('SIGKILL');
    await exit;
    rmSync(data, { recursive: true, force: true });
  }
}

/** @param {import('node:stream').Readable} output */
async function addressOf(output) {
  for await (const line of createInterface({ input: output })) {
    const [, url] = /^Millrace +(http:\S+)/.exec(line) ?? [];
    if (url !== undefined) return url;
  }
  throw new Error('The API reference needs a standalone that starts; it ended before it was ready.');
}
