// Starts the services as processes of one machine, for tests, bench and chaos.
const { startRollingSystem } = require('./rolling-system.cjs');
const { startModelProcess, startScaledSystem } = require('./start-scaled-system.cjs');
const { nodeFlags, startServiceProcess } = require('./service-process.cjs');
const { startObjectServer } = require('./start-object-server.cjs');
const { startPgbouncer } = require('./start-pgbouncer.cjs');
const { startPostgresPair } = require('./start-postgres-pair.cjs');
const { startRedisCluster, startRedisSentinels } = require('./start-redis-machines.cjs');
const { startPrometheus } = require('./start-prometheus.cjs');
const { startSteadyLoad } = require('./steady-load.cjs');

/**
 * @typedef {import('./service-process.cjs').ServiceProcess} ServiceProcess
 * @typedef {import('./service-process.cjs').StartServiceOptions} StartServiceOptions
 * @typedef {import('./start-object-server.cjs').ObjectServer} ObjectServer
 * @typedef {import('./start-pgbouncer.cjs').Pgbouncer} Pgbouncer
 * @typedef {import('./start-pgbouncer.cjs').PgbouncerOptions} PgbouncerOptions
 * @typedef {import('./start-postgres-pair.cjs').PostgresPair} PostgresPair
 * @typedef {import('./start-redis-machines.cjs').RedisMachines} RedisMachines
 * @typedef {import('./start-prometheus.cjs').Prometheus} Prometheus
 * @typedef {import('./start-scaled-system.cjs').ScaledSystem} ScaledSystem
 * @typedef {import('./start-scaled-system.cjs').ScaledSystemOptions} ScaledSystemOptions
 * @typedef {import('./steady-load.cjs').LoadForm} LoadForm
 * @typedef {import('./steady-load.cjs').LoadReport} LoadReport
 */

module.exports = {
  nodeFlags,
  startModelProcess,
  startObjectServer,
  startPgbouncer,
  startPostgresPair,
  startPrometheus,
  startRedisCluster,
  startRedisSentinels,
  startRollingSystem,
  startScaledSystem,
  startServiceProcess,
  startSteadyLoad,
};
