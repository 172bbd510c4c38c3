import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasContainer, isComposeUsable, startComposeServices } from './compose-services.mjs';
import { canInstallServers, installCommand, installServers } from './install-servers.mjs';
import { kinds } from './service-kinds.mjs';
import { createTestDatabase, ensureDatabase } from './test-database.mjs';
import { deleteQueues } from './delete-queues.mjs';
import { RedisConnection } from './redis-connection.mjs';
import { choicesText } from '../../libs/service/src/options/choice-text.cjs';

const allWays = ['env', 'local', 'private', 'compose', 'apt'];

/** The option that says which ways may be taken. */
export const servicesOption = { type: 'string', parse: choicesText(allWays) };

/**
 * Finds or starts RabbitMQ, Redis and PostgreSQL, each in the first way that works: a given URL, a server that answers
 * on localhost, a private instance of installed binaries, docker compose, installation with apt as root. Prints which
 * way each took and its version. Resolves to { urls: { broker, keyValue, database }, versions, prefix, stop() }.
 *
 * Options: `only` (a list of ways), `names` (which of them, also mariadb and pgbouncer; the three unless given), `keepData` (use the servers as they are; unless
 * given, work happens in a new database and under a random prefix, and `stop` removes both), `durable` (private
 * PostgreSQL waits for the disk), `print`. Rejects when one is missing; nothing stays running then.
 */
export async function acquireServices({
  only,
  names = ['broker', 'keyValue', 'database'],
  keepData = false,
  durable = keepData,
  print = console.log,
} = {}) {
  const ways = chosenWays(only);
  const prefix = `millrace_test_${randomBytes(4).toString('hex')}`;
  const stops = [];
  const urls = {};
  const versions = {};
  let stopping;
  const stop = () => (stopping ??= stopAll(stops, print));
  const take = async (name, way, url) => {
    versions[name] = await kinds[name].version(url);
    urls[name] = url;
    print(`${kinds[name].title.padEnd(10)} ${versions[name].padEnd(8)} ${way}`);
  };

  try {
    for (const name of names) await findRunning(name, ways, take);
    const shared = { ...urls };
    const missing = () => names.filter((name) => urls[name] === undefined);
    const startInstalled = async (way) => {
      const directory = lazyDirectory(stops);
      const started = await Promise.allSettled(
        missing()
          .filter((name) => kinds[name].isInstalled())
          .map(async (name) => {
            const server = await kinds[name].start({ directory: join(directory(), name), durable });
            stops.push(server.stop);
            await take(name, way, server.url);
          }),
      );
      // Only now: a server that was still starting would have escaped `stop`.
      const failed = started.find(({ status }) => status === 'rejected');
      if (failed !== undefined) throw failed.reason;
    };
    if (ways.includes('private')) await startInstalled('private instance of the installed server');
    const containable = missing().filter(hasContainer);
    if (containable.length > 0 && ways.includes('compose') && (await isComposeUsable())) {
      const containers = await startComposeServices(containable, { project: prefix });
      stops.push(containers.stop);
      for (const [name, url] of Object.entries(containers.urls)) await take(name, 'container', url);
    }
    if (missing().length > 0 && ways.includes('apt') && canInstallServers()) {
      print(
        `Installing ${missing()
          .map((name) => kinds[name].title)
          .join(', ')} with apt-get`,
      );
      await installServers(missing());
      await startInstalled('private instance of the server just installed');
    }
    if (missing().length > 0) throw new Error(missingMessage(missing(), ways));
    if (urls.database !== undefined && names.includes('database'))
      urls.database = await chooseDatabase(urls.database, {
        keepData,
        prefix,
        stops,
        given: process.env.DATABASE_URL,
      });
    if (!keepData) stops.push(() => removeLeftovers(shared, prefix, print));
    return { urls, versions, prefix, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function chosenWays(only) {
  if (only === undefined) return allWays;
  return only.includes('apt') ? [...only, 'private'] : only;
}

/** A URL that was given must work: falling back silently would test something else than was asked for. */
async function findRunning(name, ways, take) {
  const { variable, title, localUrls } = kinds[name];
  const given = process.env[variable] ?? '';
  if (given !== '' && ways.includes('env')) {
    await take(name, `given in ${variable}`, given).catch((error) => {
      throw new Error(`${title} in ${variable} does not answer: ${error.message}`, { cause: error });
    });
    return;
  }
  if (!ways.includes('local')) return;
  for (const url of localUrls) {
    const taken = await take(name, `answers at ${new URL(url).host}`, url).then(
      () => true,
      () => false,
    );
    if (taken) return;
  }
}

/** One temporary folder for all private instances, made when the first one needs it and removed after the last. */
function lazyDirectory(stops) {
  let directory;
  return () => {
    if (directory === undefined) {
      directory = mkdtempSync(join(tmpdir(), 'millrace-services-'));
      // The servers may run as users of their own.
      chmodSync(directory, 0o755);
      const made = directory;
      stops.push(() => rmSync(made, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }));
    }
    return directory;
  };
}

async function chooseDatabase(serverUrl, { keepData, prefix, stops, given }) {
  if (keepData) return serverUrl === given ? serverUrl : ensureDatabase(serverUrl, 'millrace');
  const database = await createTestDatabase(serverUrl, prefix);
  stops.push(database.drop);
  return database.url;
}

async function removeLeftovers(urls, prefix, print) {
  if (urls.keyValue !== undefined) {
    const connection = await RedisConnection.connect(urls.keyValue);
    const keys = await connection.deleteKeys(prefix);
    connection.close();
    if (keys > 0) print(`Removed ${keys} keys that tests left in Redis`);
  }
  if (urls.broker !== undefined) {
    const queues = await deleteQueues(urls.broker, prefix);
    if (queues !== undefined && queues > 0) print(`Removed ${queues} queues that tests left in RabbitMQ`);
  }
}

/** In reverse, and all of them even when one fails. */
async function stopAll(stops, print) {
  for (const stop of stops.reverse()) {
    try {
      await stop();
    } catch (error) {
      print(`Cleaning up: ${error.message}`);
    }
  }
}

function missingMessage(names, ways) {
  const titles = names.map((name) => kinds[name].title).join(', ');
  const variables = names.map((name) => kinds[name].variable).join(', ');
  return [
    `${titles} not found (tried: ${ways.join(', ')}).`,
    `Set ${variables}, start the servers, or install them: ${installCommand(names)}`,
  ].join('\n');
}
