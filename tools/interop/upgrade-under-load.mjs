// A rolling upgrade from another revision to this one, and back, while callers send requests.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { workspaceRoot } from '../workspace/workspace-root.mjs';

/** @import { LoadReport } from '@millrace/scaled-system' */

const CALLERS = 8;
/** How many runs are asked for at a time. */
const ASKED_AT_ONCE = 8;
const COLUMN = 17;
const ENDS_WITHIN_MILLISECONDS = 60_000;
const ASK_MILLISECONDS = 30_000;
const REWRITE_MILLISECONDS = 180_000;
const MIGRATE_MILLISECONDS = 60_000;

/**
 * @typedef {object} UpgradeOptions
 * @property {{ readonly database: string, readonly broker: string, readonly keyValue: string }} urls `database` is empty.
 * @property {string} prefix
 * @property {string} bundles Those of the other revision.
 * @property {number} seconds How long the load goes on before and after each replacement.
 *
 * @typedef {LoadReport & { readonly phase: string }} PhaseReport
 *
 * @typedef {object} UpgradeReport
 * @property {readonly PhaseReport[]} phases
 * @property {Readonly<Record<string, number>>} ends Number of runs that were accepted durably, by their end.
 * @property {readonly string[]} faults
 */

/**
 * Starts the other revision on an empty database, upgrades it in the order of docs/operate/upgrades.md, and goes back.
 * @param {UpgradeOptions} options
 * @returns {Promise<UpgradeReport>}
 */
export async function upgradeUnderLoad({ urls, prefix, bundles, seconds }) {
  const { startModelProcess, startRollingSystem, startSteadyLoad } = await import('@millrace/scaled-system');
  const ours = join(workspaceRoot, 'dist', 'apps');
  /** @param {string} step */
  const progress = (step) => console.log(`[${new Date().toISOString().slice(11, 19)}] ${step}`);
  progress('migrating with the other revision');
  await migrate(bundles, urls.database);
  progress('starting the services of the other revision');
  const model = await startModelProcess();
  /** @type {PhaseReport[]} */
  const phases = [];
  try {
    const system = await startRollingSystem({
      urls,
      prefix,
      pools: { default: 2 },
      bundles: { gateway: bundles, ingest: bundles, executor: bundles },
      environment: {
        MILLRACE_OUTGOING_ALLOW: '127.0.0.1/32',
        OPENAI_BASE_URL: model.url,
        OPENAI_API_KEY: 'sk-upgrade',
      },
    });
    try {
      for (const example of ['echo', 'chat']) await upload(system, example);
      const load = startSteadyLoad({ url: system.url, key: system.key, callers: CALLERS, forms });
      /**
       * @param {string} name
       * @param {() => unknown} [work]
       */
      const phase = async (name, work) => {
        progress(`${name}: begins`);
        await work?.();
        progress(`${name}: the load goes on for ${seconds} s`);
        await pause(seconds * 1_000);
        add({ phase: name, ...load.take() });
      };
      // Each row at once: what was found is known when the command is ended early.
      const add = (/** @type {PhaseReport} */ report) => {
        if (phases.length === 0) console.log(rowOf(HEADINGS));
        phases.push(report);
        console.log(rowOf(cellsOf(report)));
      };
      await phase('before');
      await phase('migrated', () => migrate(ours, urls.database));
      await phase('upgraded', () => system.replace({ bundles: ours, order: 'executors first' }));
      const rewrite = rewriteTexts(ours, urls.database);
      await phase('rewritten', () => rewrite.isDone);
      await phase('back', async () => {
        await system.replace({ bundles, order: 'gateways first' });
        await rewrite.ended;
      });
      await phase('upgraded again', () => system.replace({ bundles: ours, order: 'executors first' }));
      add({ phase: 'end', ...(await load.stop()) });
      progress('waiting until each durable run has ended');
      const ends = await endsOf(
        system,
        phases.flatMap(({ runIds }) => runIds),
      );
      const faults = phases.flatMap((one) => one.faults.map((fault) => `${one.phase}: ${fault}`));
      for (const [end, runs] of Object.entries(ends))
        if (end !== 'succeeded') faults.push(`${runs} runs that were accepted are ${end}`);
      return { phases, ends, faults };
    } finally {
      await system.stop();
    }
  } finally {
    await model.stop();
  }
}

/** @param {UpgradeReport} report */
export function printUpgrade({ phases, ends, faults }) {
  console.log(`\n${[HEADINGS, ...phases.map(cellsOf)].map(rowOf).join('\n')}`);
  console.log(`durable runs: ${JSON.stringify(ends)}`);
  for (const fault of [...new Set(faults)].slice(0, 30)) console.log(fault);
}

const HEADINGS = ['', 'answered', 'durable', 'refused', 'longest refusal', 'faults'];

/** @param {PhaseReport} report */
function cellsOf({ phase, answered, runIds, refused, longestRefusalMilliseconds, faults }) {
  return [
    phase,
    ...[answered, runIds.length, refused].map(String),
    `${Math.round(longestRefusalMilliseconds)} ms`,
    String(faults.length),
  ];
}

/** @param {readonly string[]} cells */
function rowOf(cells) {
  return cells.map((cell) => cell.padEnd(COLUMN)).join('');
}

/** @type {readonly import('@millrace/scaled-system').LoadForm[]} */
const forms = [
  {
    name: 'interactive',
    path: '/api/v1/run/upgrade-echo',
    status: 200,
    contains: '"text":"hello"',
    body: { input_value: 'hello' },
  },
  {
    name: 'webhook',
    path: '/api/v1/webhook/upgrade-echo',
    status: 202,
    contains: 'run_id',
    isKeyed: true,
    body: { some: 'thing' },
  },
  {
    name: 'streamed',
    path: '/api/v1/run/upgrade-chat?stream=true',
    status: 200,
    contains: '"event": "end"',
    body: { input_value: '[[tokens=5]]' },
  },
  {
    name: 'durable',
    path: '/api/v1/run/upgrade-chat',
    status: 202,
    contains: 'run_id',
    isKeyed: true,
    headers: { prefer: 'respond-async' },
    body: { input_value: 'later' },
  },
];

/**
 * @param {{ readonly url: () => string, readonly key: string }} system
 * @param {string} example
 */
async function upload(system, example) {
  const flow = JSON.parse(readFileSync(join(workspaceRoot, 'examples', `${example}.json`), 'utf8'));
  const response = await fetch(`${system.url()}/api/v1/flows/`, {
    method: 'POST',
    headers: { 'x-api-key': system.key, 'content-type': 'application/json' },
    body: JSON.stringify({ ...flow, endpoint_name: `upgrade-${example}` }),
  });
  if (response.status !== 201)
    throw new Error(`uploading the flow returned ${response.status}: ${await response.text()}`);
  await response.arrayBuffer();
}

/**
 * Resolves to the number of runs by end; a run that has not ended in time counts as what it is.
 * @param {{ readonly url: () => string, readonly key: string }} system
 * @param {readonly string[]} runIds
 */
async function endsOf(system, runIds) {
  const giveUpAt = Date.now() + ENDS_WITHIN_MILLISECONDS;
  const left = [...runIds];
  /** @type {Record<string, number>} */
  const ends = {};
  const ask = async () => {
    for (let runId = left.pop(); runId !== undefined; runId = left.pop()) {
      let end = await stateOf(system, runId);
      while (['accepted', 'queued', 'running'].includes(end) && Date.now() < giveUpAt) {
        await pause(100);
        end = await stateOf(system, runId);
      }
      ends[end] = (ends[end] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: ASKED_AT_ONCE }, ask));
  return ends;
}

/**
 * @param {{ readonly url: () => string, readonly key: string }} system
 * @param {string} runId
 * @returns {Promise<string>}
 */
async function stateOf(system, runId) {
  const response = await fetch(`${system.url()}/api/v1/runs/${runId}`, {
    headers: { 'x-api-key': system.key },
    signal: AbortSignal.timeout(ASK_MILLISECONDS),
  });
  const text = await response.text();
  return response.ok ? JSON.parse(text).status : `answered with ${response.status}`;
}

/**
 * Begins to write texts so that the release before reads them: `isDone` resolves when its services may be started, `ended` once
 * the command has noticed one.
 * @param {string} bundles
 * @param {string} databaseUrl
 */
function rewriteTexts(bundles, databaseUrl) {
  const command = spawn(process.execPath, [join(bundles, 'cli', 'main.cjs'), 'rewrite', '--hold'], {
    env: { ...process.env, DATABASE_URL: databaseUrl },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: REWRITE_MILLISECONDS,
  });
  let printed = '';
  const ended = new Promise((resolve, reject) => {
    command.once('error', reject);
    command.once('close', (code) =>
      code === 0 ? resolve(undefined) : reject(new Error(`millrace rewrite ended with ${code}: ${printed}`)),
    );
  });
  const isHeld = new Promise((resolve) => {
    const add = (/** @type {Buffer} */ part) => {
      printed += part.toString();
      if (printed.includes('Replace the services now')) resolve(undefined);
    };
    command.stdout.on('data', add);
    command.stderr.on('data', add);
  });
  const isDone = Promise.race([isHeld, ended]).then(() => console.log(printed.trimEnd()));
  // A failure is reported where it is awaited.
  for (const promise of [ended, isDone]) promise.catch(() => undefined);
  return { isDone, ended };
}

/**
 * Migrates as the role `migrate` of a deployment does, while callers of this process go on.
 * @param {string} bundles
 * @param {string} databaseUrl
 */
export async function migrate(bundles, databaseUrl) {
  const command = spawn(process.execPath, [join(bundles, 'gateway', 'main.cjs')], {
    env: { ...process.env, DATABASE_URL: databaseUrl, MILLRACE_MIGRATE: 'only', LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: MIGRATE_MILLISECONDS,
  });
  const [stderr, [status]] = await Promise.all([command.stderr.toArray(), once(command, 'close')]);
  if (status !== 0) throw new Error(`the database migration failed: ${Buffer.concat(stderr).toString()}`);
}
