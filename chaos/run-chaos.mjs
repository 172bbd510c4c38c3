import { countBy, figuresOf } from './figures.mjs';
import { openInstallation } from './installation.mjs';
import { Load } from './load/load.mjs';
import { LogWatch } from './log-watch.mjs';
import { runNemesis, injectFault } from './nemesis.mjs';
import { Observer } from './observer.mjs';
import { judge } from './oracle/judge.mjs';
import { suspensionCounts } from './oracle/judge-suspensions.mjs';
import { streamsWithGaps } from './oracle/judge-answers.mjs';
import { endedWithProcess } from './oracle/judge-python.mjs';
import { countAtBroker, settle } from './oracle/settle.mjs';
import { readStoredEvents, settleReports } from './oracle/stored-events.mjs';
import { diedOfKills, killedPids } from './oracle/killed-attempts.mjs';
import { sometimes } from './oracle/sometimes.mjs';
import { readStoredRuns } from './oracle/stored-runs.mjs';
import { findOutliving } from './python/processes.mjs';
import { Random } from './random.mjs';
import { People } from './suspensions/people.mjs';
import { Timeline } from './timeline.mjs';

/** @import { Fault, Injection } from './fault.ts' */
/** @import { Figures } from './figures.mjs' */
/** @import { Installation } from './installation.mjs' */
/** @import { Seen } from './oracle/judge.mjs' */

/**
 * @typedef {object} ChaosOptions
 * @property {number} seed
 * @property {number} minutes
 * @property {number} rate
 * @property {number} backlog
 * @property {'session' | 'transaction' | undefined} pgbouncer
 * @property {string | undefined} python the folder of a Python environment
 * @property {readonly Fault[]} faults
 * @property {boolean} isAlone
 * @property {string | undefined} logFile
 * @property {(line: string) => void} print
 * @property {AbortSignal} signal
 *
 * @typedef {Omit<Seen, 'injections'> & { readonly injections: readonly Injection[] }} SeenChaos
 * @typedef {Figures & ReturnType<typeof totalsOf>} ChaosFigures
 * @typedef {ReturnType<typeof reportOf>} Report
 */

const WARM_UP_MILLISECONDS = 5_000;
const SETTLE_MILLISECONDS = 180_000;
/** More than the longest pause of a receiver that failed. */
const REPORTS_MILLISECONDS = 420_000;
/** The time of load without faults after a fault that is injected alone. */
const CALM_MILLISECONDS = 10_000;

/**
 * Opens an installation, puts load on it, injects faults and checks the invariants. A single fault is injected as often as
 * its row in README.md requires; several are mixed for `minutes`. Resolves to the report.
 * @param {ChaosOptions} options
 */
export async function runChaos(options) {
  const { seed, minutes, rate, backlog, pgbouncer, python, faults, isAlone, logFile, print, signal } =
    options;
  const logs = new LogWatch({ file: logFile });
  const timeline = new Timeline(print);
  const random = new Random(seed);
  const environment = isAlone ? faults[0].environment?.() : undefined;
  const installation = await openInstallation({ logs, print, random, pgbouncer, environment, python });
  try {
    const load = new Load(installation, random.fork('load'));
    const observer = new Observer(installation, load);
    const people = new People(installation, random.fork('people'));
    const site = { ...installation, logs, load, random, backlog, isAlone, signal, injections: 0 };
    const before = await countAtBroker(installation.servers.broker);
    timeline.begin();
    timeline.add('load', `${rate} arrivals per second`);
    const loading = load.start(rate);
    observer.start();
    people.start();
    await wait(WARM_UP_MILLISECONDS, signal);
    const injections = isAlone
      ? [await injectFault(faults[0], site, timeline)]
      : await runNemesis(site, faults, { milliseconds: minutes * 60_000, timeline, signal });
    signal.throwIfAborted();
    if (isAlone) await wait(CALM_MILLISECONDS, signal);
    await unlessAborted(load.stop(), signal);
    await loading;
    timeline.add('load', 'stopped; waiting for runs in flight');
    await installation.triggers.stop();
    const settled = await settle(installation, { timeoutMilliseconds: SETTLE_MILLISECONDS });
    await people.stop();
    installation.receiver.heal();
    await settleReports(installation.database, { timeoutMilliseconds: REPORTS_MILLISECONDS });
    await observer.stop();
    const seen = {
      ledger: load.ledger,
      sink: installation.sink,
      people,
      modelCalls: installation.modelCalls.calls,
      events: {
        triggers: installation.triggers,
        stored: await readStoredEvents(installation.database),
        receiver: installation.receiver,
      },
      stored: await readStoredRuns(installation.database),
      atBroker: { before, after: await countAtBroker(installation.servers.broker) },
      observer,
      logs,
      settled,
      injections,
      killed: killedPids(installation.executors),
      ...(await lookAtPython(installation)),
    };
    timeline.add('end', 'checking the invariants');
    return {
      ...reportOf(seen, faults, isAlone),
      services: exitsOf(installation),
      timeline: timeline.entries,
    };
  } finally {
    await installation.close();
    logs.close();
  }
}

/**
 * Resolves to the flows with Python and the Python processes that outlive their executors: those that were killed, and then
 * all, after they have been stopped.
 * @param {Installation} installation
 * @returns {Promise<Pick<Seen, 'python'>>}
 */
async function lookAtPython({ flows, python }) {
  if (python === undefined) return {};
  const { bundles, executors } = python;
  const flowIds = new Set([flows.python, flows.pythonWebhook].flatMap((flow) => (flow ? [flow.id] : [])));
  const killed = await findOutliving(bundles, () => executors.map(({ pid }) => pid));
  await Promise.all(executors.map((executor) => executor.stop()));
  return { python: { flowIds, outliving: [...killed, ...(await findOutliving(bundles, () => []))] } };
}

/** @param {SeenChaos['events']} events */
function eventCounts({ stored: { deliveries, occurrences, reports } }) {
  return { deliveries: deliveries.length, occurrences: occurrences.length, reports: reports.length };
}

/** @param {SeenChaos} seen */
function totalsOf(seen) {
  const { ledger, stored, sink, observer, settled, injections, events, python } = seen;
  const runs = [...stored.runs.values()];
  return {
    accepted: ledger.accepted().length,
    events: eventCounts(events),
    suspensions: suspensionCounts(seen),
    ends: countBy(runs.map(({ origin, status }) => `${origin} ${status}`)),
    failures: countBy(runs.flatMap(({ failure }) => (failure === null ? [] : [failure.slice(0, 200)]))),
    attempts: countBy(runs.map(({ attempt }) => `${attempt}`)),
    failedAttempts: runs.reduce(
      (sum, { attempt, freeAttempts }) => sum + Math.max(0, attempt - freeAttempts - 1),
      0,
    ),
    sinkDuplicates: [...sink.effects.values()].reduce((sum, { count }) => sum + count - 1, 0),
    deadLetters: settled.queues.find(({ name }) => name === 'runs.dead')?.messages ?? 0,
    endedWithPython: runs.filter((run) => endedWithProcess(run, python)).length,
    diedOfKills: runs.filter((run) => diedOfKills(run, seen)).length,
    unrecorded: [...ledger.runs, ...ledger.streams].filter(
      ({ status, runId }) => status === 200 && !stored.runs.has(runId ?? ''),
    ).length,
    streamsWithGaps: streamsWithGaps(ledger),
    peaks: Object.fromEntries(observer.peaks),
    memory: Object.fromEntries(observer.memory),
    eventLoops: observer.eventLoops.outside(injections),
  };
}

/**
 * @param {SeenChaos} seen
 * @param {readonly Fault[]} faults
 * @param {boolean} isAlone
 */
function reportOf(seen, faults, isAlone) {
  const { ledger, logs, injections } = seen;
  const figures = { ...figuresOf(ledger), ...totalsOf(seen) };
  const invariants = judge(seen);
  const [injection] = injections;
  const limits = isAlone && injection.missed === undefined ? faults[0].limits({ ...injection, figures }) : [];
  return {
    figures,
    invariants,
    limits: limits.map((one) => ({ ...one, holds: one.value !== null && one.value <= one.limit })),
    sometimes: sometimes(seen),
    injections: injections.map((one) => ({ ...one, figures: figuresOf(ledger, one) })),
    said: logs.messageCounts().slice(0, 60),
  };
}

/** @param {Installation} installation */
function exitsOf({ all }) {
  return Object.fromEntries(all.map(({ name, exits }) => [name, exits]));
}

/**
 * Rejects at an abort, because callers can repeat requests for minutes.
 * @param {Promise<unknown>} promise
 * @param {AbortSignal} signal
 * @returns {Promise<unknown>}
 */
function unlessAborted(promise, signal) {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort);
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/**
 * @param {number} milliseconds
 * @param {AbortSignal} signal
 * @returns {Promise<void>}
 */
function wait(milliseconds, signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
