// `node bench/python-runs.mjs --python <environment>`: shows that runs in Python leave no process, descriptor, folder and
// memory, with processes and the zygote killed at random. Linux only.
import '../tools/workspace/require-node-version.mjs';
import '../tools/workspace/print-uncaught-errors.mjs';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { writeHeapSnapshot } from 'node:v8';
import { choiceText } from '../libs/service/src/options/choice-text.cjs';
import { readCommandLine } from '../libs/service/src/options/command-line.cjs';
import { wholeNumber } from '../libs/service/src/options/number-text.cjs';
import { loadWorkspaceCode } from '../tools/workspace/load-workspace-code.mjs';
import { anyKind, endOfRun, kindsOfRuns } from './python-runs/kinds.mjs';
import { megabytes, readUsage, residentBytes } from './python-runs/usage.mjs';

const usage = `node bench/python-runs.mjs --python <environment> [options]
  --python <path>     an environment with lfx: its folder, or its interpreter
  --runs <n>          10000
  --every <n>         runs between two lines; 1000
  --kills             kills a process in one of ten runs, and the zygote in one of 2,500
  --reuse <way>       same-flow, or never: a process for each run; same-flow
  --seal <level>      required, partial or off; required
  --snapshots <path>  writes a heap snapshot to this folder with the first line and with the last one
  --help`;

const { values: flags } = readCommandLine({
  usage,
  options: {
    python: { type: 'string' },
    runs: { type: 'string', default: '10000', parse: wholeNumber({ minimum: 1 }) },
    every: { type: 'string', default: '1000', parse: wholeNumber({ minimum: 1 }) },
    kills: { type: 'boolean' },
    reuse: { type: 'string', default: 'same-flow', parse: choiceText(['same-flow', 'never']) },
    seal: { type: 'string', default: 'required', parse: choiceText(['required', 'partial', 'off']) },
    snapshots: { type: 'string' },
  },
});
if (flags.python === undefined) throw new Error(`--python is missing.\n${usage}`);

const parallel = 4;
const maximumProcesses = 8;
/** With both versions more keys than processes: those kept for one version make room for those of the other one. */
const owners = 6;
const runsPerVersion = 50;
const runsPerKill = 10;
const runsPerZygoteKill = 2_500;
/**
 * The heap of the first line has the compiled code and the caches of the warm process already. 600 bytes a run is less
 * than any object of a run with its closures takes; the rest is for code that V8 compiles later.
 */
const maximumGrowth = 3e6 + 600 * flags.runs;

const code = await loadWorkspaceCode(
  `export { createMetrics, createOutgoingDial } from '@millrace/service';
   export * as texts from './testing/components.fixture';
   export { WatchedPool } from './testing/pool-remains.fixture';
   export { runText } from './testing/run-text.fixture';`,
  'libs/python/src',
);
const service = createServer((_, response) => response.end('answer')).listen(0, '127.0.0.1');
await once(service, 'listening');
const { port } = /** @type {import('node:net').AddressInfo} */ (service.address());
const kinds = kindsOfRuns(code.texts, `http://127.0.0.1:${port}/`);
const before = await readUsage();
const metrics = code.createMetrics();
const watched = await code.WatchedPool.open(interpreterOf(flags.python), {
  maximumProcesses,
  reuse: flags.reuse,
  seal: { level: flags.seal },
  egress: { dial: code.createOutgoingDial({ allow: ['127.0.0.1/32'] }) },
  metrics,
});
const counted = { done: 0, killed: 0, zygotesKilled: 0 };
/** @type {Set<string>} */
const failures = new Set();

/** @typedef {import('./python-runs/usage.mjs').Usage} Usage */
/** @type {Usage | null} */
let first = null;
/** @type {Usage | null} */
let last = null;
for (let until = 0; until < flags.runs;) {
  const from = until;
  until = Math.min(from + flags.every, flags.runs);
  await runAll(from, until);
  await watched.untilIdle();
  last = await readUsage();
  first ??= last;
  await report(until, last);
  if (last === first || until === flags.runs) snapshot(until);
}
await watched.close();
service.closeAllConnections();
service.close();
await once(service, 'close');
await metrics.close();
await finish();

/**
 * Runs the numbers from `from + 1` to `until`, several at a time.
 * @param {number} from
 * @param {number} until
 */
async function runAll(from, until) {
  let number = from;
  const work = async () => {
    while (number < until) await runOne((number += 1));
  };
  await Promise.all(Array.from({ length: parallel }, work));
}

/** @param {number} number */
async function runOne(number) {
  if (flags.kills && number % runsPerKill === 0) void killProcess();
  if (flags.kills && number % runsPerZygoteKill === 30) {
    if (killById(watched.pool.zygotePid)) counted.zygotesKilled += 1;
  }
  const version = 1 + (Math.floor(number / runsPerVersion) % 2);
  const key = { ownerId: `owner-${number % owners}`, flowId: 'flow-1', version };
  /** @type {(text: string, signal: AbortSignal) => Promise<unknown>} */
  const run = (text, signal) =>
    code.runText(watched.pool, text, { key, signal, variables: { KEY: 'variable' } });
  try {
    counted[await endOfRun(anyKind(kinds), run, flags.kills === true)] += 1;
  } catch (error) {
    const { message } = /** @type {Error} */ (error);
    if (failures.size < 20) failures.add(message);
    process.exitCode = 1;
  }
}

/** Kills one of the processes of the pool, in whatever state it is. */
async function killProcess() {
  await pause(Math.random() * 20);
  const pids = watched.pids();
  killById(pids[Math.floor(Math.random() * pids.length)]);
}

/** @param {number | undefined} pid */
function killById(pid) {
  try {
    return pid !== undefined && process.kill(pid, 'SIGKILL');
  } catch {
    return false; // It has ended.
  }
}

/**
 * @param {number} runs
 * @param {Usage} now
 */
async function report(runs, now) {
  const { starting, ready, leased, kept } = watched.pool.counts;
  const { processes, folders, sockets } = watched.remains();
  const zygote = residentBytes(watched.pool.zygotePid);
  console.log(
    `${runs} runs: done ${counted.done}, killed ${counted.killed}, zygotes killed ${counted.zygotesKilled}, ` +
      `processes ended ${await endedProcesses()}; RSS ${megabytes(now.rss)} MB, heap after gc ${megabytes(now.heap)} MB, ` +
      `external ${megabytes(now.external)} MB, descriptors ${now.descriptors}, children ${now.children}; ` +
      `Python processes ${processes}, folders ${folders}, sockets ${sockets}, zygote RSS ${megabytes(zygote)} MB; ` +
      `pool: starting ${starting}, ready ${ready}, leased ${leased}, kept ${kept}`,
  );
}

/** Resolves to the processes that have ended, which are about the forks of all zygotes. */
async function endedProcesses() {
  const lines = (await metrics.prometheusText()).split('\n');
  /** @type {string[]} */
  const ended = lines.filter((/** @type {string} */ line) =>
    line.startsWith('millrace_python_process_ends_total'),
  );
  return ended.reduce((sum, line) => sum + Number(line.split(' ')[1]), 0);
}

/** @param {number} runs */
function snapshot(runs) {
  if (flags.snapshots !== undefined) writeHeapSnapshot(join(flags.snapshots, `after-${runs}.heapsnapshot`));
}

/** Compares what is left with the start, and the heap with the first line. */
async function finish() {
  const after = await readUsage();
  console.log(
    `closed: descriptors ${after.descriptors} (before ${before.descriptors}), children ${after.children} ` +
      `(before ${before.children}), no Python process, scratch folder and socket of the pool`,
  );
  if (after.descriptors > before.descriptors) failures.add('descriptors are left');
  if (after.children > before.children) failures.add('child processes are left');
  const growth = (last?.heap ?? 0) - (first?.heap ?? 0);
  console.log(
    `the heap after gc grew by ${megabytes(growth)} MB after the first line; the bound is ${megabytes(maximumGrowth)} MB`,
  );
  if (growth > maximumGrowth) failures.add('the heap grew');
  for (const failure of failures) console.error(failure);
  if (failures.size > 0) process.exitCode = 1;
}

/** @param {string} path */
function interpreterOf(path) {
  return statSync(path).isDirectory() ? join(path, 'bin', 'python') : path;
}
