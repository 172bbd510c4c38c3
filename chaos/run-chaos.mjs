import { countBy, figuresOf } from './figures.mjs';
import { openInstallation } from './installation.mjs';
import { Load } from './load/load.mjs';
import { LogWatch } from './log-watch.mjs';
import { letNemesisLoose, strikeWith } from './nemesis.mjs';
import { Observer } from './observer.mjs';
import { judge } from './oracle/judge.mjs';
import { streamsWithGaps } from './oracle/judge-answers.mjs';
import { countAtBroker, settle } from './oracle/settle.mjs';
import { sometimes } from './oracle/sometimes.mjs';
import { readStoredRuns } from './oracle/stored-runs.mjs';
import { Random } from './random.mjs';
import { Timeline } from './timeline.mjs';

const WARM_UP_MILLISECONDS = 5_000;
const SETTLE_MILLISECONDS = 180_000;
/** After a fault that strikes alone: load without faults, for what must hold then. */
const CALM_MILLISECONDS = 10_000;

/**
 * Opens an installation, puts load on it, lets faults strike and asks the oracle. One fault alone strikes as often as
 * its row demands; several are mixed for so many minutes. Resolves to the report.
 */
export async function runChaos(options) {
  const { seed, minutes, rate, backlog, pgbouncer, faults, isAlone, logFile, print, signal } = options;
  const logs = new LogWatch({ file: logFile });
  const timeline = new Timeline(print);
  const random = new Random(seed);
  const environment = isAlone ? faults[0].environment?.({ backlog }) : undefined;
  const installation = await openInstallation({ logs, print, pgbouncer, environment });
  try {
    const load = new Load(installation, random.fork('load'));
    const observer = new Observer(installation, load);
    const site = { ...installation, logs, load, random, backlog, isAlone, signal, strikes: 0 };
    const before = await countAtBroker(installation.servers.broker);
    timeline.begin();
    timeline.add('load', `${rate} arrivals per second`);
    const loading = load.start(rate);
    observer.start();
    await wait(WARM_UP_MILLISECONDS, signal);
    const strikes = isAlone
      ? [await strikeWith(faults[0], site, timeline)]
      : await letNemesisLoose(site, faults, { milliseconds: minutes * 60_000, timeline, signal });
    signal.throwIfAborted();
    if (isAlone) await wait(CALM_MILLISECONDS, signal);
    await unlessAborted(load.stop(), signal);
    await loading;
    timeline.add('load', 'stopped; waiting for what is under way');
    const settled = await settle(installation, { patienceMilliseconds: SETTLE_MILLISECONDS });
    await observer.stop();
    const seen = {
      ledger: load.ledger,
      sink: installation.sink,
      stored: await readStoredRuns(installation.database),
      atBroker: { before, after: await countAtBroker(installation.servers.broker) },
      observer,
      logs,
      settled,
      strikes,
    };
    timeline.add('end', 'the oracle is asked');
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

function reportOf(seen, faults, isAlone) {
  const { ledger, stored, sink, observer, logs, strikes } = seen;
  const runs = [...stored.runs.values()];
  const figures = {
    ...figuresOf(ledger),
    accepted: ledger.accepted().length,
    ends: countBy(runs.map(({ origin, status }) => `${origin} ${status}`)),
    failures: countBy(
      runs.filter(({ failure }) => failure !== null).map(({ failure }) => failure.slice(0, 200)),
    ),
    attempts: countBy(runs.map(({ attempt }) => `${attempt}`)),
    failedAttempts: runs.reduce(
      (sum, { attempt, freeAttempts }) => sum + Math.max(0, attempt - freeAttempts - 1),
      0,
    ),
    sinkDuplicates: [...sink.effects.values()].reduce((sum, { count }) => sum + count - 1, 0),
    deadLetters: seen.settled.queues.find(({ name }) => name === 'runs.dead')?.messages ?? 0,
    unrecorded: [...ledger.runs, ...ledger.streams].filter(
      ({ status, runId }) => status === 200 && !stored.runs.has(runId),
    ).length,
    streamsWithGaps: streamsWithGaps(ledger),
    peaks: Object.fromEntries(observer.peaks),
    eventLoops: observer.eventLoops.outside(strikes),
  };
  const invariants = judge(seen);
  const [strike] = strikes;
  const limits = isAlone && strike.missed === undefined ? faults[0].limits({ ...strike, figures }) : [];
  return {
    figures,
    invariants,
    limits: limits.map((one) => ({ ...one, holds: one.value !== null && one.value <= one.limit })),
    sometimes: sometimes(seen),
    strikes: strikes.map((one) => ({ ...one, figures: figuresOf(ledger, one) })),
    said: logs.said().slice(0, 60),
  };
}

function exitsOf({ all }) {
  return Object.fromEntries(all.map(({ name, exits }) => [name, exits]));
}

/** Callers may repeat themselves for minutes; whoever interrupts does not wait for them. */
function unlessAborted(promise, signal) {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort);
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

function wait(milliseconds, signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
