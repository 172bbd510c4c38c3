import { setTimeout as pause } from 'node:timers/promises';
import { clockSkewOf } from '../read-clock-skew.mjs';
import { FALLBACK, vertexOf } from '../suspensions/flows.mjs';
import { require } from './evidence.mjs';
import { killAll } from './kill-all.mjs';

/** @import { Fault, FaultSite } from '../fault.ts' */

/**
 * @typedef {object} Evidence
 * @property {number} size
 * @property {Readonly<Record<string, number>>} kills
 * @property {number} outages times without the database or a live ingest service
 * @property {number} early
 * @property {readonly string[]} notOnce
 * @property {number} lateP50 milliseconds after the time, in which the database and an ingest service were there
 * @property {number} lateMost
 *
 * @typedef {{ readonly from: number, to: number }} Outage
 */

const SHIFT_SECONDS = 3_600;
const DEVIATION_SECONDS = 5;
/** Time-outs are a minute after their webhooks, which arrive over this time. */
const SPREAD_MILLISECONDS = 40_000;
const LATE_MILLISECONDS = 2_000;
const TICK_MILLISECONDS = 50;
const GIVE_UP_MILLISECONDS = 240_000;

const TIMES = `SELECT run_id AS "runId", runs.status, runs.attempt,
    (extract(epoch FROM due_at) * 1000)::float8 AS due, (extract(epoch FROM decided_at) * 1000)::float8 AS decided
  FROM human_requests JOIN runs ON runs.id = run_id WHERE human_requests.flow_id = $1 AND runs.accepted_at > $2`;

/** @type {Fault<Evidence>} */
export default {
  id: 'F23',
  title: 'questions time out while processes are killed, with clocks an hour ahead and an hour behind',
  mustHold: 'each time-out counts once, never early, and 2 s later at most',
  async inject(site) {
    const { flows, load, database, note, isAlone, backlog, signal } = site;
    const size = isAlone ? Math.min(backlog, 1_000) : 20;
    load.holdsDeliveries = true;
    try {
      await shiftClocks(site, SHIFT_SECONDS);
      const availability = watchAvailability(site);
      const started = new Date();
      const spread = isAlone ? SPREAD_MILLISECONDS : 5_000;
      await Promise.all(
        Array.from({ length: size }, async (_, index) => {
          await pause((spread * index) / size);
          await load.sendBacklog(1, 1, 'timed');
        }),
      );
      note(`${size} webhooks were accepted in ${Date.now() - started.getTime()} ms`);
      const due = async () => {
        const { rows } = await database.query(TIMES, [flows.timed.id, started]);
        return /** @type {{ runId: string, status: string, attempt: number, due: number, decided: number | null }[]} */ (
          rows
        );
      };
      while ((await due()).length < size && !signal.aborted) await pause(500);
      const times = (await due()).map((row) => row.due).sort((left, right) => left - right);
      await pause(Math.max(0, times[0] - 2_000 - Date.now()));
      const last = times[times.length - 1];
      const kills = await killAll(site, () => Date.now() > last + 2_000);
      const end = Date.now() + GIVE_UP_MILLISECONDS;
      const hasEnded = async () => (await due()).every(({ status }) => status === 'succeeded');
      while (!(await hasEnded().catch(() => false)) && !signal.aborted) {
        require(Date.now() < end, 'runs whose questions have timed out are still going on');
        await pause(500);
      }
      const outages = availability.stop();
      const ended = await due();
      const late = ended
        .map((row) => longestChance(outages, row.due, row.decided ?? Infinity))
        .sort((left, right) => left - right);
      const evidence = {
        size,
        kills,
        outages: outages.length,
        early: ended.filter((row) => row.decided !== null && row.decided < row.due).length,
        notOnce: ended.filter((row) => !wentOnOnce(site, row)).map(({ runId }) => runId),
        lateP50: Math.round(late[Math.floor(late.length / 2)]),
        lateMost: Math.round(late[late.length - 1]),
      };
      note(`${ended.length} time-outs: p50 ${evidence.lateP50} ms late, at most ${evidence.lateMost} ms`);
      return evidence;
    } finally {
      await shiftClocks(site, 0);
      load.holdsDeliveries = false;
    }
  },
  limits: ({ evidence }) => [
    { what: 'time-outs that counted before their time', limit: 0, value: evidence.early },
    { what: 'runs that did not go on once', limit: 0, value: evidence.notOnce.length },
    { what: 'the latest time-out (ms)', limit: LATE_MILLISECONDS, value: evidence.lateMost, isTiming: true },
  ],
};

/**
 * Restarts the first service of each kind with a clock that is ahead, and the second with one that is behind.
 * @param {FaultSite} site
 * @param {number} seconds
 */
async function shiftClocks({ executors, ingests, gateways, note }, seconds) {
  for (const [index, sign] of [1, -1].entries())
    for (const service of [executors[index], ingests[index], gateways[index]]) {
      service.setClockShift(sign * seconds * 1_000);
      await service.terminate();
      await service.up();
    }
  for (const [index, sign] of [1, -1].entries()) {
    const skew = await clockSkewOf(executors[index]);
    require(skew !== null &&
      Math.abs(skew - sign * seconds) <
        DEVIATION_SECONDS, `the clock of ${executors[index].name} differs by ${skew} s`);
  }
  note(`clocks are ${seconds} s ahead and behind`);
}

/**
 * Records the times without the database or without a live ingest service until `stop`, which returns them.
 * @param {FaultSite} site
 */
function watchAvailability({ database, ingests }) {
  /** @type {Outage[]} */
  const outages = [];
  let isStopped = false;
  const isLive = async (/** @type {{ url: string }} */ { url }) => {
    await (await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(1_000) })).arrayBuffer();
  };
  const watch = async () => {
    let isAway = false;
    while (!isStopped) {
      const at = Date.now();
      const wasAway = isAway;
      isAway = await Promise.all([database.query('SELECT 1'), Promise.any(ingests.map(isLive))]).then(
        () => false,
        () => true,
      );
      if (isAway && !wasAway) outages.push({ from: at, to: Infinity });
      if (!isAway && wasAway) outages[outages.length - 1].to = Date.now();
      await pause(TICK_MILLISECONDS);
    }
  };
  void watch();
  return {
    stop: () => {
      isStopped = true;
      return outages;
    },
  };
}

/**
 * Returns the longest time between two times without an outage, in milliseconds.
 * @param {readonly Outage[]} outages by time
 * @param {number} from
 * @param {number} to
 */
function longestChance(outages, from, to) {
  let longest = 0;
  let since = from;
  for (const outage of outages.filter((one) => one.to > from && one.from < to)) {
    longest = Math.max(longest, outage.from - since);
    since = Math.max(since, outage.to);
  }
  return Math.max(longest, to - since);
}

/**
 * @param {FaultSite} site
 * @param {{ readonly runId: string, readonly attempt: number }} run
 */
function wentOnOnce({ sink }, { runId, attempt }) {
  const effect = sink.effects.get(`${runId}:${vertexOf(FALLBACK)}`);
  return effect !== undefined && effect.count <= attempt - 1;
}
