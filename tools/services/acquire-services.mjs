import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasContainer, isComposeUsable, startComposeServices } from './compose-services.mjs';
import { canInstallServers, installCommand, installServers } from './install-servers.mjs';
import { kinds } from './service-kinds.mjs';
import { createTestDatabase, ensureDatabase } from './test-database.mjs';
import { deleteQueues } from './delete-queues.mjs';
import { deleteKeys } from './server-clients.mjs';
import { messageOf } from '../workspace/error-fields.mjs';
import { choicesText } from '../../libs/service/src/text/choice-text.cjs';

/** @import { ServiceName } from './service-kinds.mjs' */

/**
 * @typedef {(line: string) => void} Print
 * @typedef {(() => unknown)[]} Stops
 * @typedef {(name: ServiceName, way: string, url: string) => Promise<void>} Take
 *
 * @typedef {object} AcquireOptions
 * @property {readonly string[]} [only]
 * @property {readonly ServiceName[]} [names]
 * @property {boolean} [keepData]
 * @property {boolean} [durable]
 * @property {Print} [print]
 *
 * @typedef {object} AcquiredServices
 * @property {Record<ServiceName, string>} urls of the servers in `names`
 * @property {Record<string, string>} versions
 * @property {ReadonlySet<ServiceName>} temporary the servers whose data `stop` removes
 * @property {string} prefix
 * @property {() => Promise<void>} stop
 */

const allWays = /** @type {const} */ (['env', 'local', 'private', 'compose', 'apt']);

/** The command-line option that restricts how servers are found or started. */
export const servicesOption = /** @type {const} */ ({ type: 'string', parse: choicesText(allWays) });

/**
 * Finds or starts RabbitMQ, Redis and PostgreSQL, each in the first of these ways that works, in the order of `only`: a URL in the environment, a
 * server that responds on localhost, a private instance of installed binaries, docker compose, installation with apt as
 * root. Prints the way and the version of each. Resolves to { urls: { broker, keyValue, database }, versions, prefix,
 * stop() }.
 *
 * Options: `only` (a list of ways), `names` (which servers, also mariadb and pgbouncer; default these three), `keepData`
 * (use the servers as they are; by default work happens in a new database and under a random prefix, and `stop` removes
 * both), `durable` (private PostgreSQL waits for the disk), `print`. Rejects when a server is missing, and then leaves no
 * server running.
 * @param {AcquireOptions} [options]
 * @returns {Promise<AcquiredServices>}
 */
export async function acquireServices({
  only,
  names = ['broker', 'keyValue', 'database'],
  keepData = false,
  durable = keepData,
  print = console.log,
} = {}) {
  const ways = only ?? allWays;
  /** @type {Set<ServiceName>} */
  const temporary = new Set();
  const prefix = `millrace_test_${randomBytes(4).toString('hex')}`;
  /** @type {Stops} */
  const stops = [];
  /** @type {Partial<Record<ServiceName, string>>} */
  const urls = {};
  /** @type {Record<string, string>} */
  const versions = {};
  /** @type {Promise<void> | undefined} */
  let stopping;
  const stop = () => (stopping ??= stopAll(stops, print));
  /** @type {Take} */
  const take = async (name, way, url) => {
    versions[name] = await kinds[name].version(url);
    urls[name] = url;
    print(`${kinds[name].title.padEnd(10)} ${versions[name].padEnd(8)} ${way}`);
  };

  try {
    const missing = () => names.filter((name) => urls[name] === undefined);
    /** @param {string} state */
    const startInstalled = (state) =>
      startServers(missing(), { stops, durable }, (name, url) => {
        temporary.add(name);
        const isProgram = kinds[name].isProgram === true;
        return take(name, isProgram ? `${state} program` : `private instance of the ${state} server`, url);
      });
    const startPrivate = () => startInstalled('installed');
    const acquireBy = {
      env: () => forEachInTurn(missing(), (name) => takeGiven(name, take)),
      local: () => forEachInTurn(missing(), (name) => findOnThisMachine(name, take)),
      private: startPrivate,
      compose: async () => {
        const containable = missing().filter((name) => hasContainer(name));
        if (containable.length === 0 || !(await isComposeUsable())) return;
        const containers = await startComposeServices(containable, { project: prefix });
        stops.push(containers.stop);
        for (const { name, url } of containers.servers) {
          temporary.add(name);
          await take(name, 'container', url);
        }
      },
      apt: async () => {
        await startPrivate();
        if (missing().length === 0 || !canInstallServers()) return;
        await installMissing({ names: missing(), print });
        await startInstalled('newly installed');
      },
    };
    for (const way of /** @type {readonly (keyof typeof acquireBy)[]} */ (ways)) await acquireBy[way]();
    const shared = Object.fromEntries(
      Object.entries(urls).filter(([name]) => !temporary.has(/** @type {ServiceName} */ (name))),
    );
    if (missing().length > 0) throw new Error(missingMessage(missing(), ways));
    if (urls.database !== undefined && names.includes('database'))
      urls.database = await chooseDatabase(urls.database, {
        keepData,
        prefix,
        stops,
        given: process.env.DATABASE_URL,
      });
    if (!keepData) stops.push(() => removeLeftovers(shared, prefix, print));
    return { urls: /** @type {Record<ServiceName, string>} */ (urls), versions, prefix, temporary, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * Starts a private instance of each of these servers that is installed; `take` receives the URL of each.
 * @param {readonly ServiceName[]} names
 * @param {{ readonly stops: Stops, readonly durable: boolean }} options
 * @param {(name: ServiceName, url: string) => Promise<void>} take
 */
async function startServers(names, { stops, durable }, take) {
  const directory = lazyDirectory(stops);
  const started = await Promise.allSettled(
    names
      .filter((name) => kinds[name].isInstalled())
      .map(async (name) => {
        const server = await kinds[name].start({ directory: join(directory(), name), durable });
        stops.push(server.stop);
        await take(name, server.url);
      }),
  );
  // Throw only after all have settled, or `stop` would miss a server that is still starting.
  const failed = started.find((one) => one.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

/**
 * Installs with apt those of these servers and programs that are not installed, and for which the environment has no URL.
 * Rejects with what to do where that is not possible.
 * @param {{ readonly names: readonly ServiceName[], readonly print?: Print }} options
 */
export async function installMissing({ names, print = console.log }) {
  const missing = names.filter(
    (name) => (process.env[kinds[name].variable] ?? '') === '' && !kinds[name].isInstalled(),
  );
  if (missing.length === 0) return;
  if (!canInstallServers()) throw new Error(missingMessage(missing, ['apt']));
  print(`Installing ${missing.map((name) => kinds[name].title).join(', ')}`);
  await installServers(missing);
}

/**
 * @param {readonly ServiceName[]} names
 * @param {(name: ServiceName) => Promise<void>} act
 */
async function forEachInTurn(names, act) {
  for (const name of names) await act(name);
}

/**
 * Takes the server of a given URL, which must work: a silent fallback would test another server than the user named.
 * @param {ServiceName} name
 * @param {Take} take
 */
async function takeGiven(name, take) {
  const { variable, title } = kinds[name];
  const given = process.env[variable] ?? '';
  if (given === '') return;
  await take(name, `given in ${variable}`, given).catch((error) => {
    throw new Error(`${title} in ${variable} does not answer: ${error.message}`, { cause: error });
  });
}

/**
 * @param {ServiceName} name
 * @param {Take} take
 */
async function findOnThisMachine(name, take) {
  for (const url of kinds[name].localUrls) {
    const taken = await take(name, `answers at ${new URL(url).host}`, url).then(
      () => true,
      () => false,
    );
    if (taken) return;
  }
}

/**
 * Returns a function that creates the temporary folder of all private instances at its first call.
 * @param {Stops} stops
 */
function lazyDirectory(stops) {
  /** @type {string | undefined} */
  let directory;
  return () => {
    if (directory === undefined) {
      directory = mkdtempSync(join(tmpdir(), 'millrace-services-'));
      // The servers can run as other users.
      chmodSync(directory, 0o755);
      const made = directory;
      stops.push(() => rmSync(made, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }));
    }
    return directory;
  };
}

/**
 * @param {string} serverUrl
 * @param {{ readonly keepData: boolean, readonly prefix: string, readonly stops: Stops, readonly given: string | undefined }} options
 */
async function chooseDatabase(serverUrl, { keepData, prefix, stops, given }) {
  if (keepData) return serverUrl === given ? serverUrl : ensureDatabase(serverUrl, 'millrace');
  const database = await createTestDatabase(serverUrl, prefix);
  stops.push(database.drop);
  return database.url;
}

/**
 * @param {Partial<Record<ServiceName, string>>} urls
 * @param {string} prefix
 * @param {Print} print
 */
async function removeLeftovers(urls, prefix, print) {
  if (urls.keyValue !== undefined) {
    const keys = await deleteKeys(urls.keyValue, prefix);
    if (keys > 0) print(`Removed ${keys} keys that tests left in Redis`);
  }
  if (urls.broker !== undefined) {
    const queues = await deleteQueues(urls.broker, prefix);
    if (queues !== undefined && queues > 0) print(`Removed ${queues} queues that tests left in RabbitMQ`);
  }
}

/**
 * Stops everything in reverse order, also when one of them fails.
 * @param {Stops} stops
 * @param {Print} print
 */
async function stopAll(stops, print) {
  for (const stop of stops.reverse()) {
    try {
      await stop();
    } catch (error) {
      print(`Clean-up failed: ${messageOf(error)}`);
    }
  }
}

/**
 * @param {readonly ServiceName[]} names
 * @param {readonly string[]} ways
 */
function missingMessage(names, ways) {
  const titles = names.map((name) => kinds[name].title).join(', ');
  const variables = names.map((name) => kinds[name].variable).join(', ');
  return [
    `${titles} not found (tried: ${ways.join(', ')}).`,
    `Set ${variables}, start the servers, or install them: ${installCommand(names)}`,
  ].join('\n');
}
