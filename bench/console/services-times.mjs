import { processorTimes } from '../costs/process-trees.mjs';

/** @import { BenchSystem } from '../bench-environment.mjs' */

/**
 * Resolves to the CPU time so far, in microseconds, of the services, of the connections of this installation to PostgreSQL, and of
 * `others`, which are process ids by name.
 * @param {BenchSystem} system
 * @param {Readonly<Record<string, number>>} [others]
 */
export async function servicesTimes(system, others = {}) {
  const backends = /** @type {{ pid: number }[]} */ (
    await system.query('SELECT pid FROM pg_stat_activity WHERE datname = current_database()')
  );
  return processorTimes({
    gateway: system.gateway.pid,
    ingest: system.ingest.pid,
    ...Object.fromEntries(system.executors.map(({ pid }, index) => [`executor ${index}`, pid])),
    ...Object.fromEntries(backends.map(({ pid }) => [`backend ${pid}`, pid])),
    ...others,
  });
}
