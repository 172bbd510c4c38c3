import { setTimeout as pause } from 'node:timers/promises';
import { idleShare, machineTimes } from './idle-share.mjs';
import { processorTimes } from './process-trees.mjs';

/** @import { BenchSystem } from '../bench-environment.mjs' */

/** The time for records that are written after the last answer. */
const QUIET_MILLISECONDS = 500;

/**
 * Returns a function `meter(measure)` that calls `measure` and adds costs per request to its figures: the microseconds of
 * CPU time of each service and server on this machine, and the bytes that PostgreSQL stored and wrote to its log. It also
 * adds `idleShare`, the idle share of the machine's CPU time.
 * @param {BenchSystem} system
 * @param {Readonly<Record<string, number | undefined>>} servers process ids by name
 * @returns {<F extends { readonly requests: number }>(measure: () => Promise<F>) => Promise<F & { idleShare: number }>}
 */
export function createMeter(system, servers) {
  const ids = () => ({
    gateway: system.gateway.pid,
    ingest: system.ingest.pid,
    ...Object.fromEntries(system.executors.map(({ pid }, index) => [`executor ${index}`, pid])),
    ...servers,
  });
  const look = async () => {
    /** @type {{ stored: string, log: string }[]} */
    const [size] = await system.query(
      "SELECT pg_database_size(current_database()) AS stored, pg_current_wal_lsn() - '0/0' AS log",
    );
    const times = processorTimes(ids());
    return { times, machine: machineTimes(), stored: Number(size.stored), log: Number(size.log) };
  };
  return async (measure) => {
    const before = await look();
    const figures = await measure();
    const machine = machineTimes();
    await pause(QUIET_MILLISECONDS);
    const after = await look();
    // Without requests there are no costs per request.
    const { requests } = figures;
    if (requests === 0) return { ...figures, idleShare: idleShare(before.machine, machine) };
    return {
      ...figures,
      ...perRequest(before.times, after.times, requests),
      storedBytes: (after.stored - before.stored) / requests,
      logBytes: (after.log - before.log) / requests,
      idleShare: idleShare(before.machine, machine),
    };
  };
}

/**
 * Returns costs per request. Executors are added up: new ones count from their start, ended ones do not count.
 * @param {Readonly<Record<string, number>>} before
 * @param {Readonly<Record<string, number>>} after
 * @param {number} requests
 */
function perRequest(before, after, requests) {
  /** @type {Record<string, number>} */
  const sums = {};
  for (const [name, time] of Object.entries(after)) {
    const figure = `${name.split(' ')[0]}Microseconds`;
    sums[figure] = (sums[figure] ?? 0) + (time - (before[name] ?? 0)) / requests;
  }
  return sums;
}
