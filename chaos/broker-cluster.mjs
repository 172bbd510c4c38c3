import { setTimeout as pause } from 'node:timers/promises';
import { messageOf } from '../tools/workspace/error-fields.mjs';
import { clusterFaults } from './cluster-faults.mjs';
import { countBy } from './figures.mjs';
import { openInstallation } from './installation.mjs';
import { Load } from './load/load.mjs';
import { LogWatch } from './log-watch.mjs';
import { settle } from './oracle/settle.mjs';
import { readStoredRuns } from './oracle/stored-runs.mjs';
import { Random } from './random.mjs';
import { recoveryOf } from './recovery.mjs';
import { People } from './suspensions/people.mjs';

/** @import { Answer } from './load/ledger.mjs' */
/** @import { Ledger } from './load/ledger.mjs' */
/** @import { StoredState } from './oracle/stored-runs.mjs' */

/**
 * @typedef {{ id: string, title: string, from: number, to: number, evidence?: unknown, missed?: string }} ClusterInjection
 * @typedef {ReturnType<typeof rowOf>} Row
 */

const WARM_UP_MILLISECONDS = 10_000;
const CALM_MILLISECONDS = 8_000;
const SETTLE_MILLISECONDS = 240_000;
/** The limit for runs with waiting callers while any one of three nodes is down. */
const MAXIMUM_SYNC_OUTAGE_MILLISECONDS = 10_000;

/**
 * Runs three nodes of RabbitMQ under load and kills, freezes or cuts off one node at a time. Prints a row for each fault;
 * resolves to { rows, reasons }: `reasons` lists violations of the limits, none if all hold.
 * @param {object} options
 * @param {number} options.seed
 * @param {number} options.rate
 * @param {readonly string[] | undefined} options.only
 * @param {string | undefined} options.logFile
 * @param {(line: string) => void} options.print
 */
export async function runBrokerCluster({ seed, rate, only, logFile, print }) {
  const logs = new LogWatch({ file: logFile });
  const random = new Random(seed);
  const installation = await openInstallation({ logs, print, random, isCluster: true });
  /** @type {ClusterInjection[]} */
  const injections = [];
  const { nodes = [], control } = installation.servers.broker;
  const cluster = { nodes, control };
  try {
    const load = new Load(installation, random.fork('load'));
    const people = new People(installation, random.fork('people'));
    people.start();
    const loading = load.start(rate);
    await pause(WARM_UP_MILLISECONDS);
    const chosen = clusterFaults.filter(({ id }) => only === undefined || only.includes(id));
    for (const { id, title, inject } of chosen) {
      const from = Date.now();
      /** @param {string} text */
      const note = (text) => print(`  ${id} +${Math.round((Date.now() - from) / 1_000)} s ${text}`);
      print(`${id} ${title}`);
      /** @type {Omit<ClusterInjection, 'to'>} */
      const injection = { id, title, from };
      try {
        injection.evidence = await inject({ cluster, note });
      } catch (error) {
        injection.missed = messageOf(error);
        note(`missed: ${injection.missed}`);
      }
      await recoveryOf(load);
      await pause(CALM_MILLISECONDS);
      const ended = { ...injection, to: Date.now() };
      injections.push(ended);
      const { syncOutage, webhookOutage, errors } = rowOf(ended, load.ledger, {
        runs: new Map(),
      });
      note(`sync outage ${syncOutage} ms, webhook outage ${webhookOutage} ms, ${JSON.stringify(errors)}`);
    }
    await load.stop();
    await loading;
    await installation.triggers.stop();
    const settled = await settle(installation, { timeoutMilliseconds: SETTLE_MILLISECONDS });
    await people.stop();
    const stored = await readStoredRuns(installation.database);
    const rows = injections.map((one) => rowOf(one, load.ledger, stored));
    printRows(rows, print);
    return { rows, reasons: reasonsAgainst(rows, settled), said: logs.messageCounts().slice(0, 40) };
  } finally {
    await installation.close();
    logs.close();
  }
}

/**
 * @param {ClusterInjection} injection
 * @param {Ledger} ledger
 * @param {Pick<StoredState, 'runs'>} stored
 */
function rowOf({ id, title, from, to, missed }, ledger, stored) {
  const answers = ledger.answers(from, to);
  const webhooks = [...ledger.webhooks.values()].filter((webhook) =>
    webhook.tries.some(({ startedAt, status }) => status === 202 && startedAt >= from && startedAt <= to),
  );
  const keys = countBy([...stored.runs.values()].map(({ dedupeKey }) => `${dedupeKey}`));
  /** @param {string} runId */
  const isLost = (runId) => !['succeeded', 'cancelled'].includes(stored.runs.get(runId)?.status ?? '');
  /** @param {{ readonly kind: string }} answer */
  const isSync = ({ kind }) => kind === 'run' || kind === 'keyed';
  const failed = answers.filter(({ status }) => status !== 200 && status !== 202);
  return {
    id,
    title,
    missed,
    accepted: webhooks.length,
    lost: webhooks.flatMap(({ runIds }) => [...runIds]).filter(isLost).length,
    doubled: webhooks.filter(({ id: key, runIds }) => runIds.size > 1 || (keys[key] ?? 1) > 1).length,
    webhookOutage: longestGap(
      answers.filter(({ kind }) => kind === 'webhook'),
      202,
      from,
      to,
    ),
    syncAsked: answers.filter(isSync).length,
    syncOutage: longestGap(answers.filter(isSync), 200, from, to),
    errors: countBy(
      failed.map(({ kind, status, problem }) => `${isSync({ kind }) ? 'sync' : kind} ${status || problem}`),
    ),
    internal: failed.filter(({ status }) => status === 500).length,
    withoutRetryAfter: failed.filter(({ status, retryAfter }) => status === 503 && retryAfter === undefined)
      .length,
  };
}

/**
 * Returns the longest time in milliseconds from the end of one good answer to the end of the next.
 * @param {readonly Answer[]} answers
 * @param {number} goodStatus
 * @param {number} from
 * @param {number} to
 */
function longestGap(answers, goodStatus, from, to) {
  const ends = answers
    .filter(({ status }) => status === goodStatus)
    .map(({ startedAt, milliseconds }) => startedAt + milliseconds)
    .sort((left, right) => left - right);
  let longest = 0;
  let last = from;
  for (const end of [...ends, to]) {
    longest = Math.max(longest, end - last);
    last = end;
  }
  return longest;
}

/**
 * @param {readonly Row[]} rows
 * @param {(line: string) => void} print
 */
function printRows(rows, print) {
  print('\n| fault | accepted | lost | doubled | webhook outage, s | sync outage, s | errors |');
  print('| ----- | -------- | ---- | ------- | ----------------- | -------------- | ------ |');
  for (const row of rows) {
    const errors = Object.entries(row.errors).map(([name, count]) => `${name}: ${count}`);
    /** @param {number} milliseconds */
    const seconds = (milliseconds) => (milliseconds / 1_000).toFixed(1);
    print(
      `| ${row.id} ${row.title} | ${row.accepted} | ${row.lost} | ${row.doubled} | ${seconds(row.webhookOutage)} | ${seconds(row.syncOutage)} | ${errors.join(', ') || 'none'} |`,
    );
  }
}

/**
 * @param {readonly Row[]} rows
 * @param {{ readonly goingOn: number }} settled
 */
function reasonsAgainst(rows, { goingOn }) {
  const reasons = goingOn > 0 ? [`${goingOn} runs have not ended`] : [];
  for (const { id, missed, lost, doubled, syncOutage, internal, withoutRetryAfter } of rows) {
    if (missed !== undefined) reasons.push(`${id} missed`);
    if (lost > 0) reasons.push(`${id} lost ${lost}`);
    if (doubled > 0) reasons.push(`${id} doubled ${doubled}`);
    if (internal > 0) reasons.push(`${id} answered 500 ${internal} times`);
    if (withoutRetryAfter > 0) reasons.push(`${id} answered 503 without Retry-After`);
    if (syncOutage > MAXIMUM_SYNC_OUTAGE_MILLISECONDS) reasons.push(`${id} sync outage of ${syncOutage} ms`);
  }
  return rows.length === 0 ? ['void: no fault was injected'] : reasons;
}
