import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { processorTimes } from '../costs/process-trees.mjs';
import { median } from '../rounds.mjs';
import { PythonRuns } from './python-runs.mjs';

/** @import { Code, ProcessLease } from './python-runs.mjs' */

const STARTS = 5;
const LONG_TEXTS = 10;
/** Vertices of a run, so that the other parts of a run weigh little. */
const VERTICES = 20;
const START_MILLISECONDS = 240_000;
const KEY = { ownerId: 'bench', flowId: 'bench', version: 1 };

/** A pool whose leases each start a process, and what its processes take. */
export class MeasuredPool {
  #pool;
  #runs;
  #one;

  /**
   * @param {Code} code
   * @param {import('@millrace/python').PythonPool} pool
   */
  constructor(code, pool) {
    this.#pool = pool;
    this.#runs = new PythonRuns(code, VERTICES);
    this.#one = new PythonRuns(code, 1);
  }

  /**
   * Opens a pool on this interpreter, and resolves when its first process has started. Rejects with the reason where none
   * starts, or where the seal lacks layers.
   * @param {Code} code
   * @param {{ readonly python: string, readonly seal: 'off' | 'required' }} options
   */
  static async open(code, { python, seal }) {
    const pool = await code.openTestPool(python, {
      readyProcesses: 0,
      reuse: 'never',
      seal: { level: seal },
    });
    const measured = new MeasuredPool(code, pool);
    try {
      await measured.#firstProcess();
      return measured;
    } catch (error) {
      await pool.close();
      throw error;
    }
  }

  /**
   * Measures one round; loops take `seconds` each. Times are milliseconds, memory is in MB (10^6 bytes).
   * @param {number} seconds
   * @returns {Promise<Record<string, number>>}
   */
  async round(seconds) {
    const start = await this.#starts();
    const figures = await this.#leased(1, async ([lease]) => {
      const idle = memoryOf(lease.process.greeting.pid);
      const [first] = await this.#one.run(lease);
      const [second] = await this.#one.run(lease);
      const one = await this.#loop([lease], seconds);
      const used = memoryOf(lease.process.greeting.pid);
      const long = await this.#longTexts(lease);
      return { first, second, ...one, idlePss: idle.pss, usedPss: used.pss, usedPrivate: used.own, long };
    });
    const two = await this.#leased(2, (leases) => this.#loop(leases, seconds));
    const zygote = memoryOf(this.#pool.zygotePid ?? 0);
    return {
      start,
      ...figures,
      perSecondOfTwo: two.perSecond,
      zygoteRss: zygote.resident,
      zygotePss: zygote.pss,
    };
  }

  close() {
    return this.#pool.close();
  }

  async #firstProcess() {
    const end = performance.now() + START_MILLISECONDS;
    for (;;) {
      const { ready, failure } = this.#pool.state;
      if (ready) break;
      if (failure !== null) throw new Error(failure);
      if (performance.now() > end) throw new Error('Python did not start in time');
      await pause(50);
    }
    // It was ready before a lease, so it says nothing about the time of a start.
    await (await this.#lease()).release();
  }

  #lease() {
    return this.#pool.lease(KEY, new AbortController().signal);
  }

  /** Resolves to the median time from a lease without a ready process until the process has connected. */
  async #starts() {
    /** @type {number[]} */
    const times = [];
    for (let number = 0; number < STARTS; number += 1) {
      const started = performance.now();
      const lease = await this.#lease();
      times.push(performance.now() - started);
      await lease.release();
    }
    return median(times);
  }

  /**
   * @template T
   * @param {number} count
   * @param {(leases: readonly ProcessLease[]) => Promise<T>} use
   */
  async #leased(count, use) {
    /** @type {ProcessLease[]} */
    const leases = [];
    try {
      for (let number = 0; number < count; number += 1) leases.push(await this.#lease());
      return await use(leases);
    } finally {
      for (const lease of leases) await lease.release();
    }
  }

  /**
   * Repeats runs in each process for `seconds`, after a warm-up of half the time.
   * @param {readonly ProcessLease[]} leases
   * @param {number} seconds
   */
  async #loop(leases, seconds) {
    await this.#repeat(leases, seconds / 2);
    const ids = Object.fromEntries(leases.map(({ process: { greeting } }) => [greeting.pid, greeting.pid]));
    const [before, nodeBefore, started] = [processorTimes(ids), process.cpuUsage(), performance.now()];
    const times = await this.#repeat(leases, seconds);
    const took = performance.now() - started;
    const node = process.cpuUsage(nodeBefore);
    const after = processorTimes(ids);
    const python = Object.keys(ids).reduce((sum, id) => sum + (after[id] - before[id]), 0);
    return {
      pythonCpu: python / 1_000 / times.length,
      nodeCpu: (node.user + node.system) / 1_000 / times.length,
      roundTrip: median(times),
      perSecond: (times.length * 1_000) / took,
    };
  }

  /**
   * @param {readonly ProcessLease[]} leases
   * @param {number} seconds
   */
  async #repeat(leases, seconds) {
    const end = performance.now() + seconds * 1_000;
    /** @type {number[]} */
    const times = [];
    const repeat = async (/** @type {ProcessLease} */ lease) => {
      do times.push(...(await this.#runs.run(lease)));
      while (performance.now() < end);
    };
    await Promise.all(leases.map(repeat));
    return times;
  }

  /** @param {ProcessLease} lease */
  async #longTexts(lease) {
    /** @type {number[]} */
    const times = [];
    for (let number = 0; number < LONG_TEXTS; number += 1)
      times.push(...(await this.#one.run(lease, `${number}`.padEnd(1_000_000, 'text '))));
    return median(times);
  }
}

/**
 * Returns the memory of a process in MB: resident, its share of what it has in common with others (PSS), private. NaN where
 * the kernel does not tell.
 * @param {number} id
 */
function memoryOf(id) {
  /** @type {string} */
  let text;
  try {
    text = readFileSync(`/proc/${id}/smaps_rollup`, 'utf8');
  } catch {
    return { resident: NaN, pss: NaN, own: NaN };
  }
  /** @param {string} name */
  const of = (name) => (Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1]) * 1_024) / 1e6;
  return { resident: of('Rss'), pss: of('Pss'), own: of('Private_Clean') + of('Private_Dirty') };
}
