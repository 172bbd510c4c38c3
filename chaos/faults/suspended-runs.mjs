import { setTimeout as pause } from 'node:timers/promises';
import { vertexOf } from '../suspensions/flows.mjs';
import { callGateway } from '../suspensions/call-gateway.mjs';
import { require } from './evidence.mjs';
import { killAll } from './kill-all.mjs';
import { residentBytes } from './resident-bytes.mjs';

/** @import { Pool } from 'pg' */
/** @import { Fault, FaultSite } from '../fault.ts' */
/** @import { Queue } from '../oracle/settle.mjs' */

/**
 * @typedef {object} Usage
 * @property {Readonly<Record<string, number>>} mebibytes resident memory by process
 * @property {number} slots taken at all executors
 * @property {number} messages in all queues
 *
 * @typedef {object} Evidence
 * @property {number} size
 * @property {Usage} before
 * @property {Usage} after
 * @property {number} resumed
 * @property {Readonly<Record<string, number>>} kills
 * @property {number} secondAttempts attempts of resumed runs beyond one
 * @property {readonly string[]} notOnce resumed runs that did not go on once
 * @property {number} others
 */

const SENDERS = 32;
const MAXIMUM_TRIES = 240;
const MINUTE_MILLISECONDS = 60_000;
/** The smallest of several samples: the load goes on meanwhile. */
const SAMPLES = 10;
/** Memory that a process has collected is returned to the system after a while. */
const QUIET_MILLISECONDS = 20_000;
const MEBIBYTE = 1024 ** 2;
const SLOTS = /^millrace_executor_slots_taken(?:\{.*\})? (\S+)$/m;

/** @type {Fault<Evidence>} */
export default {
  id: 'F22',
  title: 'runs wait for a person, and go on while executors, ingests, the database and the broker are killed',
  mustHold: 'suspended runs hold no memory, slot or message; each goes on once',
  async inject(site) {
    const { flows, load, database, note, isAlone, backlog } = site;
    const size = isAlone ? Math.min(backlog, 10_000) : 50;
    // As many runs that do not wait warm up what the processes keep anyway.
    if (isAlone) await load.sendBacklog(size, SENDERS);
    const before = await usageOf(site);
    const since = new Date();
    const ended = () => endedRuns(database, flows.waiting.id, since);
    await load.sendBacklog(size, SENDERS, 'waiting');
    await until(site, async () => (await suspendedRuns(database, flows.waiting.id)).length === size);
    const runs = await suspendedRuns(database, flows.waiting.id);
    const after = await usageOf(site);
    note(`${size} runs are suspended: ${describe(before)} before, ${describe(after)} after`);
    const resumed = runs.slice(0, Math.ceil(size / 10));
    const end = Date.now() + (isAlone ? MINUTE_MILLISECONDS : 0);
    const killing = killAll(site, () => Date.now() > end);
    const began = Date.now();
    await resumeAll(site, resumed, async (index) => {
      const at = began + ((isAlone ? MINUTE_MILLISECONDS : 5_000) * index) / resumed.length;
      await pause(Math.max(0, at - Date.now()));
    });
    const kills = await killing;
    const resumedIds = new Set(resumed.map(({ runId }) => runId));
    await until(site, async () => (await ended()).length >= resumed.length);
    const first = await ended();
    const notOnce = [
      ...first.filter(({ runId }) => !resumedIds.has(runId)).map(({ runId }) => `${runId} was not answered`),
      ...first.filter((run) => !wentOnOnce(site, run)).map(({ runId }) => runId),
    ];
    note(`${first.length} of them were answered and have ended; ${notOnce.length} did not go on once`);
    const others = runs.slice(resumed.length);
    await resumeAll(site, others);
    await until(site, async () => (await ended()).length === size);
    note(`the other ${others.length} have ended`);
    const secondAttempts = first.reduce((sum, { attempt }) => sum + attempt - 2, 0);
    return {
      size,
      before,
      after,
      resumed: first.length,
      kills,
      secondAttempts,
      notOnce,
      others: others.length,
    };
  },
  limits: ({ evidence: { before, after, notOnce } }) => [
    { what: 'slots that suspended runs take', limit: 0, value: after.slots },
    { what: 'messages of suspended runs', limit: 0, value: after.messages },
    { what: 'resumed runs that did not go on once', limit: 0, value: notOnce.length },
    {
      what: 'memory of all processes compared with before',
      limit: 1.1,
      value: Number((total(after) / total(before)).toFixed(3)),
      isTiming: true,
    },
  ],
};

/**
 * @param {FaultSite} site
 * @returns {Promise<Usage>}
 */
async function usageOf({ all, executors, servers: { broker, keyValue }, isAlone }) {
  if (isAlone) await pause(QUIET_MILLISECONDS);
  let slots = Infinity;
  let messages = Infinity;
  for (let sample = 0; sample < (isAlone ? SAMPLES : 1); sample += 1) {
    const taken = await Promise.all(
      executors.map(async ({ healthPort }) => {
        const page = await (await fetch(`http://127.0.0.1:${healthPort}/metrics`)).text();
        return Number(SLOTS.exec(page)?.[1]);
      }),
    );
    slots = Math.min(
      slots,
      taken.reduce((sum, count) => sum + count, 0),
    );
    /** @type {Queue[]} */
    const queues = JSON.parse(
      await broker.control('--silent', '--formatter', 'json', 'list_queues', 'name', 'messages'),
    );
    messages = Math.min(
      messages,
      queues.reduce((sum, queue) => sum + queue.messages, 0),
    );
  }
  const bytes = {
    ...Object.fromEntries(all.map((service) => [service.name, service.usage()?.residentBytes ?? 0])),
    broker: residentBytes(broker.pid()),
    redis: residentBytes(keyValue.pid()),
  };
  const mebibytes = Object.fromEntries(
    Object.entries(bytes).map(([name, count]) => [name, Math.round(count / MEBIBYTE)]),
  );
  return { mebibytes, slots, messages };
}

/** @param {Usage} usage */
function describe(usage) {
  return `${total(usage)} MiB, ${usage.slots} slots, ${usage.messages} messages`;
}

/** @param {Usage} usage */
function total({ mebibytes }) {
  return Object.values(mebibytes).reduce((sum, count) => sum + count, 0);
}

/**
 * @param {Pool} database
 * @param {string} flowId
 * @returns {Promise<{ readonly runId: string, readonly requestId: string }[]>}
 */
async function suspendedRuns(database, flowId) {
  const { rows } = await database.query(
    `SELECT run_id AS "runId", human_requests.request_id AS "requestId"
      FROM human_requests JOIN runs ON runs.id = run_id AND runs.status = 'suspended'
      WHERE human_requests.flow_id = $1 AND decided_at IS NULL`,
    [flowId],
  );
  return rows;
}

/**
 * @param {Pool} database
 * @param {string} flowId
 * @param {Date} since
 * @returns {Promise<{ readonly runId: string, readonly attempt: number }[]>}
 */
async function endedRuns(database, flowId, since) {
  const { rows } = await database.query(
    `SELECT id AS "runId", attempt FROM runs WHERE flow_id = $1 AND status = 'succeeded' AND accepted_at > $2`,
    [flowId, since],
  );
  return rows;
}

/**
 * Returns whether the run had the effect of its answer, at most once in each attempt after its pause.
 * @param {FaultSite} site
 * @param {{ readonly runId: string, readonly attempt: number }} run
 */
function wentOnOnce({ sink }, { runId, attempt }) {
  const effect = sink.effects.get(`${runId}:${vertexOf('approve')}`);
  return effect !== undefined && effect.count <= attempt - 1;
}

/**
 * Answers for these runs with several parallel people, each once `begin` has resolved.
 * @param {FaultSite} site
 * @param {readonly { readonly runId: string, readonly requestId: string }[]} runs
 * @param {(index: number) => Promise<void>} [begin]
 */
async function resumeAll(site, runs, begin = async () => undefined) {
  let next = 0;
  const answer = async () => {
    for (let index = next++; index < runs.length; index = next++) {
      await begin(index);
      await resume(site, runs[index]);
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, answer));
}

/**
 * Answers until the answer is taken, also by an earlier try without an answer.
 * @param {FaultSite} site
 * @param {{ readonly runId: string, readonly requestId: string }} run
 */
async function resume(site, { runId, requestId }) {
  for (let number = 0; number < MAXIMUM_TRIES && !site.signal.aborted; number += 1) {
    const { status } = await callGateway(site, site.random, 'POST', `/api/v2/workflows/${runId}/resume`, {
      request_id: requestId,
      decision: { action_id: 'approve' },
    });
    if (status === 200 || (status === 409 && number > 0)) return;
    require(status === 0 || status >= 500, `an answer was refused with ${status}`);
    await pause(site.random.integer(300, 1_000));
  }
}

/**
 * @param {FaultSite} site
 * @param {() => Promise<boolean>} condition
 */
async function until({ signal }, condition) {
  const end = Date.now() + 5 * MINUTE_MILLISECONDS;
  // The database can be away.
  while (!(await condition().catch(() => false)) && !signal.aborted) {
    require(Date.now() < end, 'runs are still suspended or going on');
    await pause(500);
  }
}
