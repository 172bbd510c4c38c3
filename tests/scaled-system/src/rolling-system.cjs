// A scaled installation whose services are replaced one after the other while it serves, as in a rolling upgrade.
const { freePort } = require('@millrace/testing');
const { startScaledSystem } = require('./start-scaled-system.cjs');

/**
 * @typedef {import('./start-scaled-system.cjs').ScaledSystemOptions} ScaledSystemOptions
 * @typedef {import('./service-process.cjs').ServiceProcess} ServiceProcess
 *
 * @typedef {object} Replacement
 * @property {Readonly<Record<string, string>>} [environment] What differs from the options of the start.
 * @property {string} [bundles] Folder of the bundles; default dist/apps.
 * @property {'executors first' | 'gateways first'} order
 *
 * @typedef {object} RollingSystem
 * @property {string} key
 * @property {() => string} url The gateway that callers use now.
 * @property {(replacement: Replacement) => Promise<void>} replace
 * @property {() => Promise<void>} stop
 */

/**
 * Starts one gateway, one ingest service and the executors. `replace` starts the new processes of a service, waits until
 * they are ready, and only then stops the old ones, which finish what they have.
 * @param {ScaledSystemOptions} options
 * @returns {Promise<RollingSystem>}
 */
module.exports.startRollingSystem = async function startRollingSystem(options) {
  const system = await startScaledSystem(options);
  const pools = Object.entries(options.pools ?? { default: 1 });
  let { url, gateway, ingest, executors } = system;
  /** @param {Replacement} replacement */
  const replaceExecutors = async ({ environment = {}, bundles }) => {
    const started = await Promise.all(
      pools.flatMap(([pool, count]) =>
        Array.from({ length: count }, () =>
          system.startService({
            app: 'executor',
            name: 'executor-new',
            flags: ['--pool', pool],
            environment,
            ...(bundles === undefined ? {} : { bundles }),
          }),
        ),
      ),
    );
    await Promise.all(executors.map((executor) => executor.stop()));
    executors = started;
  };
  /** @param {Replacement} replacement */
  const replaceGatewayAndIngest = async ({ environment = {}, bundles }) => {
    const more = bundles === undefined ? {} : { bundles };
    const ingestPort = String(await freePort('127.0.0.1'));
    const [newIngest, newGateway] = await Promise.all([
      system.startService({
        app: 'ingest',
        environment: { ...environment, MILLRACE_INGEST_PORT: ingestPort },
        ...more,
      }),
      system.startService({
        app: 'gateway',
        environment: { ...environment, PORT: '0', INGEST_URL: `http://127.0.0.1:${ingestPort}` },
        ...more,
      }),
    ]);
    url = `http://127.0.0.1:${newGateway.ready.port}`;
    await gateway.stop();
    await ingest.stop();
    [gateway, ingest] = [newGateway, newIngest];
  };
  return {
    key: system.key,
    url: () => url,
    async replace(replacement) {
      const steps = [replaceExecutors, replaceGatewayAndIngest];
      if (replacement.order === 'gateways first') steps.reverse();
      for (const step of steps) await step(replacement);
    },
    stop: system.stop,
  };
};
