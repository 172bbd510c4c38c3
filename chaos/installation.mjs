import { randomBytes } from 'node:crypto';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startPgbouncer, startServiceProcess } from '@millrace/scaled-system';
import { freePort, TcpProxy } from '@millrace/testing';
import pg from 'pg';
import { findProgram } from '../tools/services/find-program.mjs';
import { workspaceRoot } from '../tools/workspace-root.mjs';
import { uploadFlows } from './flows.mjs';
import { ReadyMembers } from './ready-members.mjs';
import { startServers } from './servers.mjs';
import { startSink } from './sink.mjs';
import { SupervisedService } from './supervised-service.mjs';
import { startTcpBalancer } from './tcp-balancer.mjs';

/** @import { LogWatch } from './log-watch.mjs' */
/** @import { Broker } from './servers.mjs' */

/**
 * @typedef {'broker' | 'keyValue' | 'database'} ServerName
 * @typedef {Readonly<Record<ServerName, TcpProxy>>} Proxies
 * @typedef {SupervisedService & { readonly proxies: Proxies }} ProxiedService
 * @typedef {ProxiedService & { readonly url: string }} ListeningService
 * @typedef {ReturnType<typeof plantSecrets>} Secrets
 * @typedef {Awaited<ReturnType<typeof openInstallation>>} Installation
 * @typedef {Readonly<Record<string, string>>} Environment
 *
 * @typedef {object} Context
 * @property {Awaited<ReturnType<typeof startServers>>} servers
 * @property {Secrets} secrets
 * @property {string} bundles
 * @property {LogWatch} logs
 * @property {(() => unknown)[]} closing
 * @property {number} concurrency
 * @property {Environment} environment
 * @property {string} modelUrl
 * @property {Readonly<Record<ServerName, string>>} urls
 */

/** A quorum queue declared less than a second before its broker is killed is lost with its messages (RabbitMQ 3.10). */
const SETTLING_MILLISECONDS = 5_000;
const DATABASE = 'millrace';
const POOL = { connectionTimeoutMillis: 2_000, statement_timeout: 30_000, max: 2 };

/**
 * Starts two gateways, two ingest services and three executors as supervised processes, each with its own proxies in front
 * of the broker, the key-value store and the database, with the settings of `environment`; also a sink for effects and the
 * model server. `pgbouncer` is the mode of a pooler through which the services reach the database; default none. Resolves
 * to the parts: `secrets` are values that no log must contain, `ready` tracks which gateways and ingest services are ready,
 * `close` stops everything in reverse order.
 * @param {object} options
 * @param {LogWatch} options.logs
 * @param {(line: string) => void} options.print
 * @param {'session' | 'transaction'} [options.pgbouncer]
 * @param {number} [options.concurrency]
 * @param {Environment} [options.environment]
 * @param {boolean} [options.isCluster]
 */
export async function openInstallation({
  logs,
  print,
  pgbouncer,
  concurrency = 8,
  environment = {},
  isCluster = false,
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
    const model = await startServiceProcess({
      app: 'model-server',
      bundles,
      environment: { PORT: '0', MILLRACE_MODEL_API_KEY: secrets.modelKey },
    });
    closing.push(() => model.stop());
    /** @type {Context} */
    const context = {
      ...{ servers, secrets, bundles, logs, closing, concurrency, environment },
      modelUrl: String(model.ready.url),
      urls: {
        broker: servers.broker.url,
        keyValue: servers.keyValue.url,
        database: pooler?.url ?? servers.database.url,
      },
    };
    const services = await startServices(context);
    const all = [...services.gateways, ...services.ingests, ...services.executors];
    const flows = await uploadFlows({
      url: services.gateways[0].url,
      key: secrets.apiKey,
      sinkUrl: sink.url,
    });
    const database = new pg.Pool({ connectionString: databaseUrl(servers.database.url), ...POOL });
    // A server that is killed breaks idle connections; the next query takes a new one.
    database.on('error', () => undefined);
    closing.push(() => database.end());
    await pause(SETTLING_MILLISECONDS);
    return { servers, secrets, sink, flows, database, all, ...services, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** @param {LogWatch} logs */
function plantSecrets(logs) {
  const secrets = {
    apiKey: `sk-${secret()}`,
    encryptionKey: randomBytes(32).toString('base64'),
    databasePassword: secret(),
    brokerPassword: secret(),
    modelKey: `sk-${secret()}`,
    bearer: secret(),
    cookie: secret(),
  };
  for (const [name, value] of Object.entries(secrets)) logs.plant(name, value);
  return secrets;
}

function secret() {
  return `canary${randomBytes(24).toString('hex')}`;
}

/**
 * Creates the database, and a user of the broker whose password is a secret.
 * @param {{ readonly broker: Broker, readonly database: { readonly url: string } }} servers
 * @param {Secrets} secrets
 */
async function prepareServers({ broker, database }, { brokerPassword }) {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query(`CREATE DATABASE ${DATABASE}`);
  await client.end();
  await broker.control('add_user', 'chaos', brokerPassword);
  await broker.control('set_permissions', 'chaos', '.*', '.*', '.*');
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

/** @param {Context} context */
async function startServices(context) {
  const ports = [await freePort(), await freePort()];
  const ingests = await Promise.all(ports.map((port, index) => startIngest(context, index + 1, port)));
  const readyIngests = watchReadiness(context, ingests);
  const balancer = await startTcpBalancer(readyIngests);
  context.closing.push(() => balancer.close());
  // The first gateway migrates the database, so services that need the tables start after it.
  /** @type {ListeningService[]} */
  const gateways = [];
  for (const number of [1, 2]) gateways.push(await startGateway(context, number, balancer.url));
  const ready = { ingests: readyIngests, gateways: watchReadiness(context, gateways) };
  await Promise.all(ingests.map((ingest) => ingest.open()));
  const executors = await Promise.all(
    [1, 2, 3].map(async (number) => {
      const executor = await supervise(context, 'executor', number, {
        flags: ['--concurrency', String(context.concurrency)],
      });
      await executor.open();
      return executor;
    }),
  );
  return { gateways, ingests, executors, ready };
}

/**
 * @param {Context} context
 * @param {readonly ListeningService[]} services
 */
function watchReadiness({ closing }, services) {
  const members = new ReadyMembers(services.map(({ url }) => url));
  members.start();
  closing.push(() => members.close());
  return members;
}

/**
 * Creates an ingest service without starting it.
 * @param {Context} context
 * @param {number} number
 * @param {number} port
 * @returns {Promise<ListeningService>}
 */
async function startIngest(context, number, port) {
  const environment = { MILLRACE_INGEST_PORT: String(port) };
  const ingest = await supervise(context, 'ingest', number, { environment });
  return Object.assign(ingest, { url: `http://127.0.0.1:${port}` });
}

/**
 * @param {Context} context
 * @param {number} number
 * @param {string} ingestUrl
 * @returns {Promise<ListeningService>}
 */
async function startGateway(context, number, ingestUrl) {
  const port = await freePort();
  const gateway = await supervise(context, 'gateway', number, {
    environment: {
      PORT: String(port),
      INGEST_URL: ingestUrl,
      MILLRACE_BOOTSTRAP_API_KEY: context.secrets.apiKey,
      MILLRACE_RUN_DEADLINE_SECONDS: '60',
    },
  });
  await gateway.open();
  return Object.assign(gateway, { url: `http://127.0.0.1:${port}` });
}

/**
 * Returns the URL of the proxy, or those of the nodes of a cluster, which are faulted directly.
 * @param {Broker} broker
 * @param {TcpProxy} proxy
 * @param {Secrets} secrets
 */
function brokerUrls({ nodes }, proxy, { brokerPassword }) {
  const ports = nodes === undefined ? [proxy.port] : nodes.map(({ url }) => new URL(url).port);
  return ports.map((port) => `amqp://chaos:${brokerPassword}@127.0.0.1:${port}`);
}

/**
 * @param {Context} context
 * @param {string} app
 * @param {number} number
 * @param {{ readonly flags?: readonly string[], readonly environment?: Environment }} more
 * @returns {Promise<ProxiedService>}
 */
async function supervise(context, app, number, more) {
  const { servers, urls, secrets, bundles, logs, closing, modelUrl } = context;
  /** @param {string} url */
  const openProxy = async (url) => {
    const { hostname: host, port } = new URL(url);
    const proxy = await TcpProxy.listen({ host, port: Number(port) });
    closing.push(() => proxy.close());
    return proxy;
  };
  const proxies = {
    broker: await openProxy(urls.broker),
    keyValue: await openProxy(urls.keyValue),
    database: await openProxy(urls.database),
  };
  const service = new SupervisedService({
    app,
    name: `${app}-${number}`,
    bundles,
    flags: more.flags ?? [],
    environment: {
      DATABASE_URL: `postgres://postgres:${secrets.databasePassword}@127.0.0.1:${proxies.database.port}/${DATABASE}`,
      AMQP_URL: brokerUrls(servers.broker, proxies.broker, secrets).join(','),
      REDIS_URL: `redis://127.0.0.1:${proxies.keyValue.port}`,
      HOST: '127.0.0.1',
      LOG_LEVEL: 'info',
      MILLRACE_PREFIX: '',
      MILLRACE_ENCRYPTION_KEY: secrets.encryptionKey,
      MILLRACE_OUTGOING_ALLOW: '127.0.0.1/32',
      OPENAI_BASE_URL: modelUrl,
      OPENAI_API_KEY: secrets.modelKey,
      ...more.environment,
      ...context.environment,
    },
    print: (line) => logs.read(line),
  });
  closing.push(() => service.stop());
  return Object.assign(service, { proxies });
}
