import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startPgbouncer, startServiceProcess } from '@millrace/scaled-system';
import pg from 'pg';
import { findProgram } from '../tools/services/find-program.mjs';
import { workspaceRoot } from '../tools/workspace/workspace-root.mjs';
import { uploadFlows } from './flows.mjs';
import { createNeighbours } from './neighbours.mjs';
import { plantSecrets } from './secrets.mjs';
import { startReportReceiver } from './report-receiver.mjs';
import { startServers } from './servers.mjs';
import { DATABASE, startServices } from './services.mjs';
import { startSink } from './sink.mjs';
import { countModelCalls } from './suspensions/model-calls.mjs';
import { createTriggers } from './triggers.mjs';

/** @import { LogWatch } from './log-watch.mjs' */
/** @import { Random } from './random.mjs' */
/** @import { Secrets } from './secrets.mjs' */
/** @import { Broker } from './servers.mjs' */
/** @import { Context, Environment } from './services.mjs' */

/**
 * @typedef {Awaited<ReturnType<typeof openInstallation>>} Installation
 */

/** A quorum queue declared less than a second before its broker is killed is lost with its messages (RabbitMQ 3.10). */
const SETTLING_MILLISECONDS = 5_000;
const POOL = { connectionTimeoutMillis: 2_000, statement_timeout: 30_000, max: 2 };

/**
 * Starts two gateways, two ingest services and three executors as supervised processes, each with its own proxies in front
 * of the broker, the key-value store and the database, with the settings of `environment`; also a sink for effects, a
 * receiver of callbacks and the model server, whose calls are counted. `pgbouncer` is the mode of a pooler through which the services reach the database; default none. Resolves
 * to the parts: `secrets` are values that no log must contain, `ready` tracks which gateways and ingest services are ready,
 * `close` stops everything in reverse order.
 * @param {object} options
 * @param {LogWatch} options.logs
 * @param {(line: string) => void} options.print
 * @param {Random} options.random
 * @param {'session' | 'transaction'} [options.pgbouncer]
 * @param {number} [options.concurrency]
 * @param {Environment} [options.environment]
 * @param {boolean} [options.isCluster]
 * @param {string} [options.python] the folder of a Python environment, for executors in a pool with Python
 */
export async function openInstallation({
  logs,
  print,
  random,
  pgbouncer,
  concurrency = 8,
  environment = {},
  isCluster = false,
  python,
}) {
  /** @type {(() => unknown)[]} */
  const closing = [];
  const close = async () => {
    for (const end of closing.splice(0).reverse()) await end();
  };
  try {
    const secrets = plantSecrets(logs);
    const servers = await startServers({ print, isCluster });
    closing.push(() => servers.stop());
    await prepareServers(servers, secrets);
    const pooler = pgbouncer === undefined ? undefined : await startPooler(servers.database, pgbouncer);
    if (pooler !== undefined) closing.push(() => pooler.stop());
    const bundles = copyBundles();
    closing.push(() => rmSync(bundles, { recursive: true, force: true }));
    const sink = await startSink();
    closing.push(() => sink.close());
    const receiver = await startReportReceiver(random.fork('receiver'));
    closing.push(() => receiver.close());
    const modelCalls = await startModel(bundles, secrets, closing);
    /** @type {Context} */
    const context = {
      servers,
      secrets,
      bundles,
      logs,
      closing,
      concurrency,
      environment,
      python: python === undefined ? undefined : preparePython(python, closing),
      modelUrl: modelCalls.url,
      urls: {
        broker: servers.broker.url,
        keyValue: servers.keyValue.url,
        database: pooler?.url ?? servers.database.url,
      },
    };
    const services = await startServices(context);
    const all = [...services.gateways, ...services.ingests, ...services.executors];
    const urls = services.gateways.map((gateway) => gateway.url);
    const owner = { url: urls[0], key: secrets.apiKey, sinkUrl: sink.url, receiver };
    const flows = await uploadFlows({ ...owner, hasPython: python !== undefined });
    const database = openPool(servers.database.url, closing);
    const neighbours = await createNeighbours(owner);
    const triggers = await createTriggers({ urls, key: secrets.apiKey, flows, neighbours });
    await pause(SETTLING_MILLISECONDS);
    return {
      servers,
      secrets,
      sink,
      modelCalls,
      receiver,
      flows,
      triggers,
      database,
      all,
      ...services,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Creates the database, and a user of the broker whose password is a secret.
 * @param {{ readonly broker: Broker, readonly database: { readonly url: string } }} servers
 * @param {Secrets} secrets
 */
async function prepareServers({ broker, database }, { brokerPassword }) {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query(`CREATE DATABASE ${DATABASE} ENCODING 'UTF8' TEMPLATE template0`);
  await client.end();
  await broker.control('add_user', 'chaos', brokerPassword);
  await broker.control('set_permissions', 'chaos', '.*', '.*', '.*');
}

/**
 * Starts the model server behind a proxy that counts the calls of agents.
 * @param {string} bundles
 * @param {Secrets} secrets
 * @param {(() => unknown)[]} closing
 */
async function startModel(bundles, { modelKey }, closing) {
  const model = await startServiceProcess({
    app: 'model-server',
    bundles,
    environment: { PORT: '0', MILLRACE_MODEL_API_KEY: modelKey },
  });
  closing.push(() => model.stop());
  const modelCalls = await countModelCalls(String(model.ready.url));
  closing.push(() => modelCalls.close());
  return modelCalls;
}

/**
 * @param {string} serverUrl
 * @param {(() => unknown)[]} closing
 */
function openPool(serverUrl, closing) {
  const database = new pg.Pool({ connectionString: databaseUrl(serverUrl), ...POOL });
  // A server that is killed breaks idle connections; the next query takes a new one.
  database.on('error', () => undefined);
  closing.push(() => database.end());
  return database;
}

/**
 * @param {{ readonly url: string }} database
 * @param {'session' | 'transaction'} mode
 */
async function startPooler(database, mode) {
  const program = findProgram('pgbouncer');
  if (program === undefined) throw new Error('not installed on this machine: PgBouncer');
  return startPgbouncer({
    program,
    databaseUrl: databaseUrl(database.url),
    mode,
    // In session mode each client keeps a connection, so the pool needs one for each.
    settings: { default_pool_size: mode === 'session' ? 100 : 20, query_wait_timeout: 5 },
  });
}

/** @param {string} serverUrl */
function databaseUrl(serverUrl) {
  const url = new URL(serverUrl);
  url.pathname = `/${DATABASE}`;
  return url.href;
}

/**
 * Makes the folder for the pools of all executors with Python, because executors that are killed leave theirs.
 * @param {string} environment
 * @param {(() => unknown)[]} closing
 */
function preparePython(environment, closing) {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-chaos-'));
  closing.push(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return { environment: resolve(environment), folder };
}

/** Copies the bundles, so that a build in the meantime does not affect processes that restart. */
function copyBundles() {
  const bundles = mkdtempSync(join(workspaceRoot, 'node_modules', '.millrace-chaos-'));
  for (const app of ['gateway', 'ingest', 'executor', 'model-server'])
    cpSync(join(workspaceRoot, 'dist', 'apps', app), join(bundles, app), {
      recursive: true,
      filter: (path) => !path.endsWith('.map'),
    });
  return bundles;
}
