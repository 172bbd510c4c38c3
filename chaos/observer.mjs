import { EventLoops } from './event-loops.mjs';

/** @import { Installation } from './installation.mjs' */
/** @import { Load } from './load/load.mjs' */
/** @import { StoredRun } from './oracle/stored-runs.mjs' */

/** @typedef {{ residentBytes: number, files: number }} Usage */

const INTERVAL_MILLISECONDS = 2_000;
const MEMORY_INTERVAL_MILLISECONDS = 60_000;
const ENDED = `SELECT id, status, attempt, finished_at::text AS finished, md5(coalesce(result, failure, '')) AS content
  FROM runs WHERE finished_at > now() - interval '10 seconds'`;
const OVERDUE = `SELECT id FROM runs WHERE status = 'running' AND lease_until < now() - interval '30 seconds'`;

/**
 * Polls the installation during the faults: peak resources of each process, event loop delays, the ends of runs (which must
 * not change later), and leases that expired long ago.
 */
export class Observer {
  #installation;
  /** @type {NodeJS.Timeout | undefined} */
  #timer;
  #looking = Promise.resolve();
  #load;
  /**
   * By name of the service: { residentBytes, files }, without the connections of the load.
   * @type {Map<string, Usage>}
   */
  peaks = new Map();
  /**
   * Resident memory in bytes by name of the service, one number a minute; a restart shows as a smaller one.
   * @type {Map<string, number[]>}
   */
  memory = new Map();
  #memoryAt = 0;
  eventLoops = new EventLoops();
  /**
   * The first observed end by run id, as JSON.
   * @type {Map<string, string>}
   */
  ends = new Map();
  /**
   * Ends that changed: { id, before, after }.
   * @type {{ readonly id: string, readonly before: string, readonly after: string }[]}
   */
  changed = [];
  /** @type {Set<string>} */
  overdue = new Set();

  /**
   * @param {Pick<Installation, 'all' | 'gateways' | 'database'>} installation
   * @param {Pick<Load, 'callsInFlight'>} load
   */
  constructor(installation, load) {
    this.#installation = installation;
    this.#load = load;
  }

  start() {
    this.#timer = setInterval(() => {
      this.#looking = this.#look();
    }, INTERVAL_MILLISECONDS);
  }

  async stop() {
    clearInterval(this.#timer);
    await this.#looking;
  }

  /**
   * Compares the ends of runs with those observed before.
   * @param {readonly Pick<StoredRun, 'id' | 'status' | 'attempt' | 'finished' | 'content'>[]} rows
   */
  compare(rows) {
    for (const { id, status, attempt, finished, content } of rows) {
      const now = JSON.stringify({ status, attempt, finished, content });
      const before = this.ends.get(id);
      if (before === undefined) this.ends.set(id, now);
      else if (before !== now) this.changed.push({ id, before, after: now });
    }
  }

  async #look() {
    const { all, gateways, database } = this.#installation;
    const keepsMemory = Date.now() - this.#memoryAt >= MEMORY_INTERVAL_MILLISECONDS;
    if (keepsMemory) this.#memoryAt = Date.now();
    for (const service of all) {
      const usage = service.usage();
      const peak = this.peaks.get(service.name) ?? { residentBytes: 0, files: 0 };
      if (usage === null) continue;
      if (keepsMemory)
        this.memory.set(service.name, [...(this.memory.get(service.name) ?? []), usage.residentBytes]);
      usage.files -= Math.min(usage.files, this.#load.callsInFlight);
      this.peaks.set(service.name, {
        residentBytes: Math.max(peak.residentBytes, usage.residentBytes),
        files: Math.max(peak.files, usage.files),
      });
    }
    await Promise.all(gateways.map((gateway) => this.eventLoops.look(gateway)));
    try {
      this.compare((await database.query(ENDED)).rows);
      for (const { id } of (await database.query(OVERDUE)).rows) this.overdue.add(id);
    } catch {
      // The database is down because of a fault. The next look reads the ends of this time.
    }
  }
}
