import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kinds } from '../tools/services/service-kinds.mjs';

const NAMES = ['broker', 'keyValue', 'database'];

/**
 * RabbitMQ, Redis and PostgreSQL of this run alone, which may be killed, frozen and brought back. PostgreSQL waits for
 * the disk. Resolves to { broker, keyValue, database, stop }; rejects when one is not installed.
 */
export async function startServers({ print }) {
  const missing = NAMES.filter((name) => !kinds[name].isInstalled()).map((name) => kinds[name].title);
  if (missing.length > 0) throw new Error(`not installed on this machine: ${missing.join(', ')}`);
  const directory = mkdtempSync(join(tmpdir(), 'millrace-chaos-'));
  // The servers may run as users of their own.
  chmodSync(directory, 0o755);
  const started = await Promise.allSettled(
    NAMES.map((name) => kinds[name].start({ directory: join(directory, name), durable: true })),
  );
  const servers = Object.fromEntries(NAMES.map((name, index) => [name, started[index].value]));
  const stop = async () => {
    for (const name of NAMES)
      await servers[name]?.stop().catch((error) => print(`${kinds[name].title}: ${error.message}`));
    rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  };
  const failed = started.find(({ status }) => status === 'rejected');
  if (failed !== undefined) {
    await stop();
    throw failed.reason;
  }
  return { ...servers, stop };
}
