import { countBy } from '../figures.mjs';
import { judgeAnswers } from './judge-answers.mjs';
import { judgeEvents } from './judge-events.mjs';
import { endedWithProcess, judgePython } from './judge-python.mjs';
import { judgeProcesses } from './judge-processes.mjs';
import { judgeSuspensions } from './judge-suspensions.mjs';
import { diedOfKills } from './killed-attempts.mjs';

/** @import { Ledger } from '../load/ledger.mjs' */
/** @import { LogWatch } from '../log-watch.mjs' */
/** @import { Observer } from '../observer.mjs' */
/** @import { Sink } from '../sink.mjs' */
/** @import { People } from '../suspensions/people.mjs' */
/** @import { ModelCalls } from '../suspensions/model-calls.mjs' */
/** @import { SeenEvents } from './judge-events.mjs' */
/** @import { Settled } from './settle.mjs' */
/** @import { StoredState } from './stored-runs.mjs' */

/**
 * @typedef {{ readonly from: number, readonly to: number }} Times Milliseconds since the epoch.
 * @typedef {{ readonly connections: number, channels: number }} AtBroker
 *
 * @typedef {object} Seen Everything that was recorded.
 * @property {Ledger} ledger
 * @property {LogWatch} logs
 * @property {Observer} observer
 * @property {SeenEvents} events triggers, schedules and callbacks
 * @property {Pick<Sink, 'effects' | 'looks' | 'broken' | 'refused'>} sink
 * @property {Pick<People, 'questions'>} people
 * @property {ModelCalls['calls']} modelCalls
 * @property {StoredState} stored
 * @property {{ readonly before: AtBroker, readonly after: AtBroker }} atBroker
 * @property {Settled} settled
 * @property {readonly Times[]} injections
 * @property {ReadonlySet<number>} killed the pids of executors that a fault killed
 * @property {{ readonly flowIds: ReadonlySet<string>, readonly outliving: readonly string[] }} [python] the flows with
 *   vertices in Python, and the Python processes that outlived their executor
 *
 * @typedef {object} Invariant
 * @property {string} id
 * @property {string} promise
 * @property {readonly string[]} found
 * @property {boolean} [isTiming]
 */

const DEAD_LETTERS = 'runs.dead';
const ENDS = ['succeeded', 'failed', 'cancelled', 'timed_out', 'dead'];

/**
 * Checks the invariants and returns { id, promise, found } for each: `found` lists violations, none when it holds;
 * `isTiming` marks one that also depends on the machine. `seen` contains everything that was recorded: ledger, stored
 * runs, sink, observer, logs, the settled state, the broker's counts, the injected faults.
 * @param {Seen} seen
 * @returns {Invariant[]}
 */
export function judge(seen) {
  return [
    {
      id: 'I1',
      promise: 'every 202 has exactly one row, which has succeeded or was cancelled',
      found: lostRuns(seen),
    },
    { id: 'I1', promise: 'one webhook id is one run', found: doubledWebhooks(seen) },
    { id: 'I2', promise: 'a run ends once', found: doubledEnds(seen) },
    { id: 'I3', promise: 'effects: at least one, at most one per attempt', found: wrongEffects(seen) },
    { id: 'I4', promise: 'queues are empty, no dead letters', found: fullQueues(seen) },
    { id: 'I5', promise: 'no run stays claimed past its lease', found: heldRuns(seen) },
    ...judgeProcesses(seen),
    ...judgeAnswers(seen),
    ...judgeEvents(seen),
    ...judgePython(seen),
    ...judgeSuspensions(seen),
  ];
}

/** @param {Seen} seen */
function lostRuns(seen) {
  const { ledger, stored, python, people } = seen;
  /** @type {string[]} */
  const found = [];
  const cancelled = new Set(
    [...people.questions.values()].flatMap(({ runId, isCancelled }) => (isCancelled ? [runId] : [])),
  );
  for (const runId of ledger.accepted()) {
    const run = stored.runs.get(runId);
    if (run === undefined) found.push(`${runId} was accepted and has no row`);
    else if (run.status === 'cancelled' && cancelled.has(runId)) continue;
    else if (run.status !== 'succeeded' && !endedWithProcess(run, python) && !diedOfKills(run, seen)) {
      const attempts = (stored.attempts.get(runId) ?? []).map(
        ({ attempt, worker, outcome }) => `; attempt ${attempt} of ${worker}: ${outcome}`,
      );
      found.push(`${runId} is ${run.status}: ${run.failure ?? 'no reason'}${attempts.join('')}`);
    }
  }
  for (const { id, durable, status } of stored.runs.values())
    if (durable && !ENDS.includes(status)) found.push(`${id} is still ${status}`);
  return found;
}

/** @param {Seen} seen */
function doubledWebhooks({ ledger, stored }) {
  /** @type {string[]} */
  const found = [];
  for (const { id, runIds } of ledger.webhooks.values())
    if (runIds.size > 1) found.push(`${id} was answered with ${[...runIds].join(' and ')}`);
  const keys = [...stored.runs.values()]
    .filter(({ origin }) => origin === 'webhook')
    .map((run) => `${run.dedupeKey}`);
  for (const [key, count] of Object.entries(countBy(keys)))
    if (count > 1) found.push(`${key} has ${count} rows`);
  return found;
}

/** @param {Seen} seen */
function doubledEnds({ observer, stored }) {
  observer.compare(
    [...stored.runs.values()].filter(({ id, finished }) => finished !== null && observer.ends.has(id)),
  );
  return [
    ...observer.changed.map(({ id, before, after }) => `${id} ended as ${before}, then as ${after}`),
    ...stored.overfullRuns.map(({ runId, count }) => `${runId} stored ${count} messages`),
  ];
}

/** @param {Seen} seen */
function wrongEffects({ sink, ledger, stored }) {
  const found = sink.refused.map((what) => `the sink refused ${what}`);
  /** @type {Map<string | undefined, number>} */
  const counts = new Map();
  // Per vertex: each of them has at most one effect in each attempt.
  for (const { runId, count } of sink.effects.values())
    counts.set(runId, Math.max(counts.get(runId) ?? 0, count));
  for (const { id, status, attempt, origin } of stored.runs.values()) {
    const count = counts.get(id) ?? 0;
    // Other runs can have called a model instead, or ended before their effect.
    if (origin === 'webhook' && status === 'succeeded' && count === 0) found.push(`${id} had no effect`);
    if (count > attempt) found.push(`${id} had ${count} effects in ${attempt} attempts`);
  }
  for (const { runId, status, kind } of ledger.runs)
    if (kind !== 'stream' && status === 200 && !counts.has(runId))
      found.push(`${runId} was answered without effect`);
  return found;
}

/** @param {Seen} seen */
function fullQueues(seen) {
  const died = [...seen.stored.runs.values()].some((run) => diedOfKills(run, seen));
  return seen.settled.queues
    .filter(({ name, messages }) => messages > 0 && !(name === DEAD_LETTERS && died))
    .map(({ name, messages }) => `${name} contains ${messages} messages`);
}

/** @param {Seen} seen */
function heldRuns({ observer, settled }) {
  const found = [...observer.overdue].map((id) => `${id} had a lease that expired 30 s before`);
  return settled.goingOn > 0 ? [...found, `${settled.goingOn} runs have not ended`] : found;
}
