import { freePort, TcpProxy } from '@millrace/testing';
import { ReadyMembers } from './ready-members.mjs';
import { SupervisedService } from './supervised-service.mjs';
import { startTcpBalancer } from './tcp-balancer.mjs';

/** @import { LogWatch } from './log-watch.mjs' */
/** @import { Secrets } from './secrets.mjs' */
/** @import { Broker, startServers } from './servers.mjs' */

/**
 * @typedef {'broker' | 'keyValue' | 'database'} ServerName
 * @typedef {Readonly<Record<ServerName, TcpProxy>>} Proxies
 * @typedef {SupervisedService & { readonly proxies: Proxies }} ProxiedService
 * @typedef {ProxiedService & { readonly url: string }} ListeningService
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
 * @property {{ readonly environment: string, readonly folder: string } | undefined} python
 * @property {string} modelUrl
 * @property {Readonly<Record<ServerName, string>>} urls
 */

export const DATABASE = 'millrace';

/**
 * Starts two ingest services, two gateways and three executors; `ready` tracks which of those that listen are ready.
 * @param {Context} context
 */
export async function startServices(context) {
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
  const python = context.python && {
    executors: await startPythonExecutors(context, context.python),
    bundles: context.bundles,
  };
  return { gateways, ingests, executors: [...executors, ...(python?.executors ?? [])], ready, python };
}

/**
 * Starts two executors of the pool of flows with Python.
 * @param {Context} context
 * @param {NonNullable<Context['python']>} python
 */
function startPythonExecutors(context, { environment, folder }) {
  return Promise.all(
    [4, 5].map(async (number) => {
      const executor = await supervise(context, 'executor', number, {
        flags: ['--concurrency', String(context.concurrency), '--pool', 'python'],
        environment: {
          ...pythonMode(context),
          MILLRACE_PYTHON_ENVIRONMENT: environment,
          MILLRACE_PYTHON_FOLDER: folder,
          MILLRACE_PYTHON_PROCESSES: '4',
        },
      });
      await executor.open();
      return executor;
    }),
  );
}

/**
 * @param {Context} context
 * @returns {Environment}
 */
function pythonMode({ python }) {
  return python === undefined ? {} : { MILLRACE_PYTHON: 'approved' };
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
  const environment = { MILLRACE_INGEST_PORT: String(port), ...pythonMode(context) };
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
      ...pythonMode(context),
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
