import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { limitProcessor } from './cpu-quota.mjs';

/** @import { FloodOrder } from './flood.cjs' */

const SCRIPT = fileURLToPath(new URL('flood.cjs', import.meta.url));

/**
 * Starts a flood in a process with a bounded CPU time.
 * @param {FloodOrder} order
 * @param {number} processors
 * @returns {{ readonly how: string, readonly statuses: Promise<Readonly<Record<string, number>>> }}
 */
export function startFlood(order, processors) {
  const child = spawn(process.execPath, [SCRIPT], { stdio: ['pipe', 'pipe', 'inherit'] });
  const { how, remove } = limitProcessor(child.pid ?? 0, processors);
  // The exit code tells of a process that ended before it read its order.
  child.stdin.on('error', () => undefined);
  child.stdin.end(JSON.stringify(order));
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part) => (text += part));
  const statuses = new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      remove();
      if (code === 0) resolve(JSON.parse(text));
      else reject(new Error(`the flood ended with ${code}`));
    });
  });
  return { how, statuses };
}
