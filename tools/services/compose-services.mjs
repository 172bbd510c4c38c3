import { join } from 'node:path';
import { runCommand, succeeds } from './run-command.mjs';
import { workspaceRoot } from '../workspace/workspace-root.mjs';

/** @import { ServiceName } from './service-kinds.mjs' */

/** @typedef {{ readonly service: string, readonly port: number, readonly url: (port: string) => string }} Container */

const file = join(workspaceRoot, 'tools', 'services', 'docker-compose.test.yml');
/** @type {Readonly<Partial<Record<ServiceName, Container>>>} */
const containers = {
  broker: { service: 'rabbitmq', port: 5672, url: (port) => `amqp://guest:guest@127.0.0.1:${port}` },
  keyValue: { service: 'redis', port: 6379, url: (port) => `redis://127.0.0.1:${port}` },
  database: {
    service: 'postgres',
    port: 5432,
    url: (port) => `postgres://postgres@127.0.0.1:${port}/postgres`,
  },
  mariadb: { service: 'mariadb', port: 3306, url: (port) => `mysql://root@127.0.0.1:${port}/test` },
};

/** Resolves to whether docker compose is installed and its engine runs. */
export async function isComposeUsable() {
  return (await succeeds('docker', ['compose', 'version'])) && (await succeeds('docker', ['info']));
}

/**
 * Returns whether the compose file has a container for this server.
 * @param {ServiceName} name
 */
export const hasContainer = (name) => Object.hasOwn(containers, name);

/**
 * Starts these of broker, keyValue, database and mariadb as containers on free ports. Resolves to { servers, stop }.
 * @param {readonly ServiceName[]} names
 * @param {{ readonly project: string }} options
 */
export async function startComposeServices(names, { project }) {
  /**
   * @param {readonly string[]} words
   * @param {number} deadlineMilliseconds
   */
  const compose = (words, deadlineMilliseconds) =>
    runCommand('docker', ['compose', '-p', project, '-f', file, ...words], { deadlineMilliseconds });
  const stop = () => compose(['down', '--volumes', '--timeout', '5'], 60_000);
  const chosen = names.flatMap((name) => {
    const container = containers[name];
    return container === undefined ? [] : [{ name, ...container }];
  });
  /** @type {{ readonly name: ServiceName, readonly url: string }[]} */
  const servers = [];
  try {
    await compose(['up', '--detach', '--wait', ...chosen.map(({ service }) => service)], 300_000);
    for (const { name, service, port, url } of chosen) {
      const published = (await compose(['port', service, String(port)], 20_000)).trim();
      servers.push({ name, url: url(published.slice(published.lastIndexOf(':') + 1)) });
    }
  } catch (error) {
    await stop().catch(() => undefined);
    throw error;
  }
  return { servers, stop };
}
