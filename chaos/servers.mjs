import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPrivateRabbitmqCluster } from '../tools/services/private-rabbitmq-cluster.mjs';
import { kinds } from '../tools/services/service-kinds.mjs';

const NAMES = ['broker', 'keyValue', 'database'];

/**
 * Starts private instances of RabbitMQ, Redis and PostgreSQL that faults can kill, freeze and restart. PostgreSQL waits for
 * the disk. With `isCluster` RabbitMQ has three nodes. Resolves to { broker, keyValue, database, stop }; rejects when one
 * is not installed.
 */
export async function startServers({ print, isCluster = false }) {
  const missing = NAMES.filter((name) => !kinds[name].isInstalled()).map((name) => kinds[name].title);
  if (missing.length > 0) throw new Error(`not installed on this machine: ${missing.join(', ')}`);
  const directory = mkdtempSync(join(tmpdir(), 'millrace-chaos-'));
  // The servers can run as other users.
  chmodSync(directory, 0o755);
  const started = await Promise.allSettled(
    NAMES.map((name) => {
      const start = isCluster && name === 'broker' ? startCluster : kinds[name].start;
      return start({ directory: join(directory, name), durable: true });
    }),
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

/** Starts a cluster with the interface of one broker: `control` uses the first node that responds. */
async function startCluster(options) {
  const cluster = await startPrivateRabbitmqCluster(options);
  const control = async (...words) => {
    let failure;
    for (const node of cluster.nodes) {
      try {
        return await node.control(...words);
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  };
  return { ...cluster, url: cluster.urls[0], control };
}
