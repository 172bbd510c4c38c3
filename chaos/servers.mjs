import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '../tools/workspace/error-fields.mjs';
import { startPrivatePostgres } from '../tools/services/private-postgres.mjs';
import { startPrivateRabbitmq } from '../tools/services/private-rabbitmq.mjs';
import { startPrivateRabbitmqCluster } from '../tools/services/private-rabbitmq-cluster.mjs';
import { startPrivateRedis } from '../tools/services/private-redis.mjs';
import { kinds } from '../tools/services/service-kinds.mjs';

/** @import { PrivateRabbitmq } from '../tools/services/private-rabbitmq.mjs' */
/** @import { BrokerNode } from '../tools/services/private-rabbitmq-cluster.mjs' */

/** @typedef {PrivateRabbitmq & { readonly nodes?: readonly BrokerNode[] }} Broker With `nodes` in a cluster. */

/**
 * Starts private instances of RabbitMQ, Redis and PostgreSQL that faults can kill, freeze and restart. PostgreSQL waits for
 * the disk. With `isCluster` RabbitMQ has three nodes. Resolves to { broker, keyValue, database, stop }; rejects when one
 * is not installed.
 * @param {{ readonly print: (line: string) => void, readonly isCluster?: boolean }} options
 */
export async function startServers({ print, isCluster = false }) {
  const wanted = [kinds.broker, kinds.keyValue, kinds.database];
  const missing = wanted.filter(({ isInstalled }) => !isInstalled());
  if (missing.length > 0)
    throw new Error(`not installed on this machine: ${missing.map(({ title }) => title).join(', ')}`);
  const directory = mkdtempSync(join(tmpdir(), 'millrace-chaos-'));
  // The servers can run as other users.
  chmodSync(directory, 0o755);
  const startBroker = isCluster ? startCluster : startPrivateRabbitmq;
  const started = await Promise.allSettled([
    startBroker({ directory: join(directory, 'broker') }),
    startPrivateRedis({ directory: join(directory, 'keyValue') }),
    startPrivatePostgres({ directory: join(directory, 'database'), durable: true }),
  ]);
  const stop = async () => {
    for (const [index, server] of started.entries())
      if (server.status === 'fulfilled')
        await server.value.stop().catch((error) => print(`${wanted[index].title}: ${messageOf(error)}`));
    rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  };
  const [broker, keyValue, database] = started;
  if (broker.status === 'fulfilled' && keyValue.status === 'fulfilled' && database.status === 'fulfilled')
    return {
      broker: /** @type {Broker} */ (broker.value),
      keyValue: keyValue.value,
      database: database.value,
      stop,
    };
  await stop();
  throw started.find((one) => one.status === 'rejected')?.reason;
}

/**
 * Starts a cluster with the interface of one broker: `control` uses the first node that responds, and the other members
 * the first node.
 * @param {{ readonly directory: string }} options
 * @returns {Promise<Broker>}
 */
async function startCluster(options) {
  const { nodes, stop } = await startPrivateRabbitmqCluster(options);
  /** @param {...string} words */
  const control = async (...words) => {
    let failure;
    for (const node of nodes) {
      try {
        return await node.control(...words);
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  };
  const { url, start, kill, pid, queues } = nodes[0];
  return { url, start, kill, pid, queues, nodes, stop, control };
}
