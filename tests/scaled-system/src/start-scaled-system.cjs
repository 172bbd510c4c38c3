// A scaled installation on this machine: gateway, ingest and executors as separate processes.
const { randomBytes } = require('node:crypto');
const { freePort } = require('@millrace/testing');
const { startServiceProcess } = require('./service-process.cjs');

/**
 * @typedef {import('./service-process.cjs').ServiceProcess} ServiceProcess
 * @typedef {import('./service-process.cjs').StartServiceOptions} StartServiceOptions
 * @typedef {Readonly<Record<string, string>>} Environment
 *
 * @typedef {object} ScaledSystemOptions
 * @property {{ readonly database: string, readonly broker: string, readonly keyValue: string }} urls
 * @property {Readonly<Record<string, number>>} [pools] Number of executors by pool.
 * @property {number} [concurrency]
 * @property {number} [port]
 * @property {string} [host]
 * @property {string} [key]
 * @property {string} [prefix]
 * @property {Environment} [environment]
 * @property {Readonly<Record<string, number>>} [workers] Number of processes by app; default 1.
 * @property {Readonly<Record<string, string>>} [bundles] Folder of the bundles by app, for apps that are not in dist/apps.
 * @property {((line: string) => void) | undefined} [print]
 * @property {string | undefined} [folder] The working folder of the services.
 * @property {AbortSignal | undefined} [signal] Ends services that are starting.
 *
 * @typedef {object} ScaledSystem
 * @property {string} url
 * @property {string} key
 * @property {ServiceProcess} gateway
 * @property {ServiceProcess} ingest
 * @property {ServiceProcess[]} executors
 * @property {number} ingestPort
 * @property {(pool?: string, environment?: Environment) => Promise<ServiceProcess>} startExecutor
 * @property {(options: StartServiceOptions) => Promise<ServiceProcess>} startService
 * @property {(service: ServiceProcess) => Promise<ServiceProcess>} restart Starts a service that has ended again, on its port.
 * @property {() => Promise<void>} stop
 */

/**
 * Starts the services in order and resolves to { url, key, gateway, ingest, executors, startExecutor, stop }. `urls`
 * contains { database, broker, keyValue } of running servers. `pools` is the number of executors by pool, `workers` the
 * number of processes by app, and `bundles` the folder of the bundles by app, for apps that are not in dist/apps.
 * @param {ScaledSystemOptions} options
 * @returns {Promise<ScaledSystem>}
 */
module.exports.startScaledSystem = async function startScaledSystem({
  urls,
  pools = { default: 1 },
  concurrency = 64,
  port = 0,
  host = '127.0.0.1',
  key = `sk-${randomBytes(32).toString('base64url')}`,
  prefix = '',
  environment = {},
  workers = {},
  bundles = {},
  print,
  folder,
  signal,
}) {
  const common = {
    ...environment,
    DATABASE_URL: urls.database,
    AMQP_URL: urls.broker,
    REDIS_URL: urls.keyValue,
    HOST: host,
    MILLRACE_PREFIX: prefix,
    // There is no load balancer, so do not wait for it.
    MILLRACE_DRAIN_SECONDS: environment.MILLRACE_DRAIN_SECONDS ?? '0',
    MILLRACE_ENCRYPTION_KEY: environment.MILLRACE_ENCRYPTION_KEY ?? randomBytes(32).toString('base64'),
  };
  const { start, restart, stop } = serviceStarter({ common, workers, bundles, print, folder, signal });
  let executorsStarted = 0;
  /**
   * The environment can name other slots than those of the system.
   * @param {string} [pool]
   * @param {Environment} [more]
   */
  const startExecutor = (pool = 'default', more = {}) =>
    start({
      app: 'executor',
      name: `executor-${++executorsStarted}`,
      flags: ['--pool', pool],
      environment: { MILLRACE_CONCURRENCY: String(concurrency), ...more },
    });
  try {
    // The gateway migrates the database, so start it first. It needs the port of ingest, so choose that port before.
    const ingestPort = await freePort(host);
    const gateway = await start({
      app: 'gateway',
      environment: {
        PORT: String(port),
        INGEST_URL: `http://${host}:${ingestPort}`,
        MILLRACE_BOOTSTRAP_API_KEY: key,
      },
    });
    const [ingest, ...executors] = await Promise.all([
      start({ app: 'ingest', environment: { MILLRACE_INGEST_PORT: String(ingestPort) } }),
      ...Object.entries(pools).flatMap(([pool, count]) =>
        Array.from({ length: count }, () => startExecutor(pool)),
      ),
    ]);
    const url = `http://${host}:${gateway.ready.port}`;
    return {
      url,
      key,
      gateway,
      ingest,
      executors,
      startExecutor,
      startService: start,
      ingestPort,
      restart,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
};

/**
 * Starts the model server as a separate process; resolves to it with `url`, the base URL for clients.
 * @param {{ readonly port?: number, readonly key?: string, readonly print?: (line: string) => void }} [options] `key` is the only one that it accepts.
 * @returns {Promise<ServiceProcess & { readonly url: string }>}
 */
module.exports.startModelProcess = async function startModelProcess({ port = 0, key, print } = {}) {
  const service = await startServiceProcess({
    app: 'model-server',
    environment: { PORT: String(port), ...(key === undefined ? {} : { MILLRACE_MODEL_API_KEY: key }) },
    print,
  });
  return { ...service, url: String(service.ready.url) };
};

/**
 * Returns { start, restart, stop } of the services of one system; `stop` ends those that are starting, too.
 * @param {Required<Pick<ScaledSystemOptions, 'workers' | 'bundles'>> & Pick<ScaledSystemOptions, 'print' | 'folder' | 'signal'> & { readonly common: Environment }} options
 */
function serviceStarter({ common, workers, bundles, print, folder, signal }) {
  /** @type {Map<ServiceProcess, StartServiceOptions>} */
  const started = new Map();
  /** @type {Set<Promise<ServiceProcess>>} */
  const starting = new Set();
  let isStopped = false;
  /** @param {StartServiceOptions} options */
  const startService = async (options) => {
    const { app } = options;
    const service = await startServiceProcess({
      print,
      ...(folder === undefined ? {} : { folder }),
      ...(signal === undefined ? {} : { signal }),
      ...(bundles[app] === undefined ? {} : { bundles: bundles[app] }),
      ...options,
      environment: {
        ...common,
        ...(workers[app] === undefined ? {} : { MILLRACE_WORKERS: String(workers[app]) }),
        ...options.environment,
      },
    });
    started.set(service, options);
    return service;
  };
  /**
   * @param {StartServiceOptions} options
   * @returns {Promise<ServiceProcess>}
   */
  const start = (options) => {
    if (isStopped) return Promise.reject(new Error('the system has been stopped'));
    const service = startService(options).finally(() => starting.delete(service));
    starting.add(service);
    return service;
  };
  return {
    start,
    /** @param {ServiceProcess} service */
    async restart(service) {
      const { environment, ...options } = started.get(service) ?? { app: service.name };
      // A free port was chosen at the first start.
      const port = environment?.PORT === undefined ? {} : { PORT: String(service.ready.port) };
      const again = await start({ ...options, environment: { ...environment, ...port } });
      started.delete(service);
      return again;
    },
    async stop() {
      isStopped = true;
      // A service that is still starting must not outlive the system.
      await Promise.allSettled(starting);
      const services = [...started.keys()].reverse();
      started.clear();
      for (const service of services) await service.stop();
    },
  };
}
