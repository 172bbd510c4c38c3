import { setTimeout as pause } from 'node:timers/promises';
import { figuresOf } from '../figures.mjs';
import { require } from './evidence.mjs';
import { residentBytes } from './resident-bytes.mjs';

/** @import { Pool } from 'pg' */
/** @import { Fault } from '../fault.ts' */
/** @import { Figures } from '../figures.mjs' */
/** @import { Broker } from '../servers.mjs' */
/** @import { Queue } from '../oracle/settle.mjs' */

/**
 * @typedef {object} Evidence
 * @property {number} size
 * @property {{ readonly accepted: number, readonly queued: number }} waiting
 * @property {number} jobMessages
 * @property {number} startMilliseconds
 * @property {number} drainMilliseconds
 * @property {number} runsPerSecond
 * @property {Figures['runs']} runsMeanwhile
 * @property {number} brokerBytes
 */

const SENDERS = 48;
/** Within this time the row of a run has the status of its message; then both are counted. */
const STATUS_UPDATE_MILLISECONDS = 10_000;
const LOOK_MILLISECONDS = 500;
/** A tenth of the required rate; a slower drain counts as stuck. */
const MINIMUM_RUNS_PER_SECOND = 30;
const MEBIBYTE = 1024 ** 2;
const GIBIBYTE = 1024 ** 3;
const QUEUE = 'runs.background.default';

/** @type {Fault<Evidence>} */
export default {
  id: 'F11',
  title: 'executors stop while webhooks arrive, and start again',
  mustHold:
    '202 p99 ≤ 500 ms throughout; broker ≤ 1.2 GiB; drain ≥ 300 runs/s; runs with waiting callers p99 ≤ 1 s during the drain; no excess job messages',
  /** Publishes a message for every run; with the default most runs stay in the backlog in the database. */
  environment: () => ({ MILLRACE_USER_QUEUE_SHARE: '0' }),
  async inject({ executors, servers: { broker }, load, database, note, signal, backlog, isAlone }) {
    const size = isAlone ? backlog : Math.min(backlog, 500);
    const memory = watchMemory(broker);
    try {
      await Promise.all(executors.map((executor) => executor.stop()));
      let began;
      try {
        require(executors.every(({ pid }) => pid === undefined), 'an executor is still running');
        note('the executors are stopped');
        began = Date.now();
        await load.sendBacklog(size, SENDERS);
        note(`${size} webhooks were accepted in ${Date.now() - began} ms`);
        await pause(STATUS_UPDATE_MILLISECONDS);
      } catch (error) {
        await Promise.all(executors.map((executor) => executor.open()));
        throw error;
      }
      const waiting = await countWaiting(database);
      const jobMessages = await countMessages(broker);
      note(
        `${waiting.queued} runs are queued, ${waiting.accepted} are in the backlog, ${jobMessages} job messages`,
      );
      require(waiting.queued + waiting.accepted >= size, `only ${waiting.queued} runs are queued`);
      const from = Date.now();
      await Promise.all(executors.map((executor) => executor.open()));
      const started = Date.now();
      while (!(await isDrained(database)) && !signal.aborted) {
        require(Date.now() - started <
          (1_000 * size) / MINIMUM_RUNS_PER_SECOND + 60_000, 'the backlog does not drain');
        await pause(LOOK_MILLISECONDS);
      }
      const to = Date.now();
      const runs = figuresOf(load.ledger, { from: started, to }).runs;
      require(memory.peak > 10 * MEBIBYTE, 'the memory of the broker was not measured');
      note(`drained in ${to - started} ms`);
      return {
        size,
        waiting,
        jobMessages,
        startMilliseconds: started - from,
        drainMilliseconds: to - started,
        runsPerSecond: Math.round((1_000 * size) / (to - started)),
        runsMeanwhile: runs,
        brokerBytes: memory.peak,
      };
    } finally {
      memory.stop();
    }
  },
  limits: ({ figures, evidence }) => [
    {
      what: 'job messages in excess of queued runs',
      limit: 0,
      value: Math.max(0, evidence.jobMessages - evidence.waiting.queued),
    },
    { what: 'memory of the broker (GiB)', limit: 1.2, value: round(evidence.brokerBytes / GIBIBYTE) },
    { what: '202 p99 (ms)', limit: 500, value: figures.webhooks.p99, isTiming: true },
    { what: 'milliseconds per drained run', limit: 3.33, value: perRun(evidence), isTiming: true },
    {
      what: 'runs with waiting callers p99 (ms)',
      limit: 1_020,
      value: evidence.runsMeanwhile.p99,
      isTiming: true,
    },
  ],
};

/** @param {Evidence} evidence */
function perRun({ drainMilliseconds, size }) {
  return round(drainMilliseconds / size);
}

/** @param {number} value */
function round(value) {
  return Number(value.toFixed(2));
}

/**
 * @param {Pool} database
 * @returns {Promise<Evidence['waiting']>}
 */
async function countWaiting(database) {
  const { rows } = await database.query(
    `SELECT status, count(*)::int AS count FROM runs WHERE lane = 'background' AND status IN ('accepted', 'queued')
      GROUP BY status`,
  );
  return { accepted: 0, queued: 0, ...Object.fromEntries(rows.map(({ status, count }) => [status, count])) };
}

/** @param {Pool} database */
async function isDrained(database) {
  const { rows } = await database.query(
    `SELECT EXISTS (SELECT 1 FROM runs WHERE lane = 'background' AND status IN ('accepted', 'queued', 'running')
      AND accepted_at < now() - interval '2 seconds') AS waits`,
  );
  return !rows[0].waits;
}

/** @param {Broker} broker */
async function countMessages(broker) {
  /** @type {Queue[]} */
  const queues = JSON.parse(
    await broker.control('--silent', '--formatter', 'json', 'list_queues', 'name', 'messages'),
  );
  return queues.find(({ name }) => name === QUEUE)?.messages ?? 0;
}

/**
 * Measures the peak memory of the broker until `stop`.
 * @param {Broker} broker
 */
function watchMemory(broker) {
  const watch = {
    peak: 0,
    stop: () => clearInterval(timer),
  };
  const timer = setInterval(() => {
    watch.peak = Math.max(watch.peak, residentBytes(broker.pid()));
  }, 1_000);
  return watch;
}
