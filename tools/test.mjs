// `npm test` runs the quick tier against real RabbitMQ, Redis and PostgreSQL; `npm run test:full` runs every suite, also
// against MariaDB, PgBouncer, NATS and Prometheus. Both find the servers or start them.
// Imports only Node's own modules until packages are installed.
import './workspace/require-node-version.mjs';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { readCommandLine } from '../libs/service/src/options/command-line.cjs';
import { messageOf } from './workspace/error-fields.mjs';
import { prepareWorkspace } from './workspace/prepare-workspace.mjs';
import { prepareSite } from './site/prepare-site.mjs';
import { buildTestPython, readyTestPython } from './python/test-environment.mjs';
import { coverageTable } from './jest/coverage.mjs';
import { changedProjects } from './jest/changed-projects.mjs';
import { runSuites } from './jest/run-suites.mjs';
import { hasCommittedTimes, recordTestTimes } from './jest/test-times.cjs';
import { projectOf, selectTests } from './jest/select-tests.mjs';
import { isQuick, leftByQuick, shardOf, tookLong } from './jest/tiers.mjs';
import { acquireServices, installMissing, servicesOption } from './services/acquire-services.mjs';
import { serviceNames } from './services/service-kinds.mjs';
import { workspaceRoot } from './workspace/workspace-root.mjs';

/** @import { AcquiredServices } from './services/acquire-services.mjs' */
/** @import { TestTime } from './jest/test-times.cjs' */

/** More than the usual two cores: many suites wait for processes, servers and deadlines. */
const WORKERS = Math.max(4, availableParallelism());
/** For the suites with Python while they run beside the others. */
const PYTHON_WORKERS = 1;
/** Suites that start programs from their bundles. */
const NEEDS_BUNDLES = /^tests\/(?:system|process|faults|power-cuts)\//;
/** How many test files a run names with their times. */
const MOST_EXPENSIVE = 10;
/** The counts of a run without test files. */
const NO_TESTS = { passed: 0, failed: 0, skipped: 0, times: [], coverage: [] };
/** Suites with the built guide. */
const NEEDS_GUIDE = /^tests\/(?:system\/guide|process\/package)\./;
const NEEDS_SERVERS = /\.services\.test\.ts$/;
/** Suites with the packages of apps/python-worker. */
const NEEDS_PYTHON = /\.python(?:\.services)?\.test\.ts$/;
/** Suites with an interpreter alone, which find it themselves. */
const NEEDS_INTERPRETER = /^libs\/python\/src\/seal\/|\/python-environment\.full\.services\.test\.ts$/;
/** Suites that `--unit` leaves out beside those with servers and those that take long. */
const SLOW = /^tests\/(?:system|process|faults|power-cuts|simulation)\//;
/** The servers of the quick tier. */
const QUICK_SERVICES = new Set(['broker', 'keyValue', 'database']);
const MILLISECONDS_PER_DAY = 86_400_000;
/** Cases that tests draw differ from day to day. */
const SEED = process.env.TEST_SEED ?? String(Math.floor(Date.now() / MILLISECONDS_PER_DAY));

/** Programs that tests start load their modules faster from it. */
const COMPILE_CACHE = join(workspaceRoot, 'node_modules', '.cache', 'node');

const usage = `npm test -- [options] [project or part of a path] …
  npm test                             the quick tier: what a change can break, with a share of the drawn cases
  npm run test:full                    every test with all cases
  npm test -- executor                 the tests of one project, in both tiers, with all cases
  npm test -- limits.test.ts           the test files with this in their path, the same way
  --unit             the quick tier without the simulation and suites that need servers, start whole systems or take over 4 s
  --changed          the tests of the quick tier in projects that differ from main, or that depend on such a project
  --full             every test with all cases
  --rest             with --full: leaves out what the quick tier has checked
  --shard <K/N>      one of N parts of about the same length
  --coverage         prints which share of the lines of each project ran; not with --shard, and twice the processor time
  --prepare          installs what these tests need and builds, but runs no test: after it, the tests need no network
  --services <ways>  where to get the servers: env, local, private, compose, apt (comma separated)
  --keep             leaves the servers and the database running and prints their URLs
  --help`;

const { values: flags, positionals: words } = readCommandLine({
  usage,
  options: {
    unit: { type: 'boolean' },
    changed: { type: 'boolean' },
    full: { type: 'boolean' },
    rest: { type: 'boolean' },
    shard: { type: 'string', parse: readShard },
    coverage: { type: 'boolean' },
    prepare: { type: 'boolean' },
    services: servicesOption,
    keep: { type: 'boolean' },
  },
  positionals: { maximum: Infinity },
});

/** Whether tests draw all of their cases. */
const drawsAll = flags.full === true || (words.length > 0 && !flags.unit);
const interrupted = new AbortController();
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.on(name, () => {
    if (!interrupted.signal.aborted) console.log(`\n${name}: stopping and cleaning up`);
    interrupted.abort();
  });

process.exitCode = await main().catch((error) => {
  console.error(messageOf(error));
  console.log('0 passed, 1 failed');
  return 1;
});

async function main() {
  if (flags.coverage && flags.shard !== undefined)
    throw new Error('--coverage counts all tests of a run, not those of a shard.');
  const files = chosenTests();
  if (files.length === 0) throw new Error('The options leave out all of these tests.');
  prepareWorkspace({ build: files.some((file) => NEEDS_BUNDLES.test(file)) });
  if (files.some((file) => NEEDS_GUIDE.test(file))) prepareSite();
  if (flags.prepare) return prepare(files);
  console.log(`Seed of drawn cases: ${SEED} (TEST_SEED=${SEED} repeats them)`);
  const { allPassed, passed, failed, skipped, notRun, times, coverage } = await runWithServices(files);
  if (times.length > 0) printMostExpensive(times);
  if (coverage.length > 0) console.log(coverageTable(coverage).join('\n'));
  // A run of some files alone, often beside other work, says little.
  const isWholeTier = words.length === 0 && !flags.coverage && flags.unit !== true;
  // The next shard divides the same times, or the shards are no partition of the test files.
  const mayRecord = flags.shard === undefined || hasCommittedTimes();
  if (process.env.CI === undefined && isWholeTier && mayRecord && times.length > 0)
    recordTestTimes(times, drawsAll ? 'full' : 'quick');
  const isComplete = allPassed && failed === 0 && passed > 0 && !interrupted.signal.aborted;
  if (notRun.length > 0) console.log(`Not run, and counted as failed: ${notRun.join(', ')}`);
  if (passed === 0) console.log('No test ran.');
  if (skipped > 0) console.log(`${skipped} skipped`);
  console.log(`${passed} passed, ${isComplete ? 0 : Math.max(1, failed)} failed`);
  return isComplete ? 0 : 1;
}

function chosenTests() {
  let files = selectTests(words);
  if (flags.changed) {
    const changed = changedProjects();
    files = files.filter((file) => changed.includes(projectOf(file) ?? ''));
  }
  if (!drawsAll) files = files.filter(isQuick);
  if (flags.unit)
    files = files.filter((file) => !(NEEDS_SERVERS.test(file) || SLOW.test(file) || tookLong(file)));
  if (flags.rest) files = leftByQuick(files);
  return flags.shard === undefined ? files : shardOf(files, flags.shard);
}

/** @param {string} text */
function readShard(text) {
  const [, number, count] = /^([1-9]\d?)\/([1-9]\d?)$/.exec(text)?.map(Number) ?? [];
  if (number === undefined || count === undefined || number > count)
    throw new Error('must be a part and the number of parts, such as 1/4');
  return { number, count };
}

/**
 * Installs servers, programs and Python's packages.
 * @param {readonly string[]} files
 */
async function prepare(files) {
  await installMissing({ names: neededServices(files) });
  if (files.some((file) => NEEDS_PYTHON.test(file)) && readyTestPython() === undefined)
    await buildTestPython({ signal: interrupted.signal });
  console.log('The tests can run.');
  return 0;
}

/** @param {readonly string[]} files */
async function runWithServices(files) {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-test-'));
  // Servers that a test starts in this folder can run as other users.
  chmodSync(directory, 0o711);
  /** @type {AcquiredServices | undefined} */
  let services;
  try {
    const names = neededServices(files);
    const servers = names.filter((name) => name !== 'python');
    if (servers.length > 0) services = await acquireServices({ only: flags.services, names: servers });
    const lacksPython = names.includes('python') && !(await acquirePython());
    interrupted.signal.throwIfAborted();
    const notRun = lacksPython ? files.filter(needsAnyPython) : [];
    const runnable = lacksPython ? files.filter((file) => !needsAnyPython(file)) : files;
    const ended = await runWithPython(runnable, (chosen, { workers, variables }) =>
      runSuites({
        files: chosen,
        workers,
        signal: interrupted.signal,
        coverageFolder: flags.coverage ? mkdtempSync(join(directory, 'coverage-')) : undefined,
        environment: {
          TMPDIR: directory,
          NODE_COMPILE_CACHE: COMPILE_CACHE,
          TEST_SEED: SEED,
          ...(drawsAll ? {} : { MILLRACE_QUICK_TESTS: 'true' }),
          ...serverVariables(services),
          ...variables,
        },
      }),
    );
    return { ...ended, failed: ended.failed + notRun.length, notRun: [...ended.notRun, ...notRun] };
  } finally {
    rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
    if (flags.keep && services !== undefined) console.log('Kept:', services.urls);
    else await services?.stop();
  }
}

/**
 * Which servers and programs the test files need.
 * @param {readonly string[]} files
 */
function neededServices(files) {
  if (files.some((file) => NEEDS_SERVERS.test(file)))
    return files.every(isQuick) ? serviceNames.filter((name) => QUICK_SERVICES.has(name)) : serviceNames;
  return files.some((file) => NEEDS_PYTHON.test(file)) && readyTestPython() === undefined
    ? serviceNames.filter((name) => name === 'python')
    : [];
}

/** @param {string} file */
function needsAnyPython(file) {
  return NEEDS_PYTHON.test(file) || (NEEDS_INTERPRETER.test(file) && NEEDS_SERVERS.test(file));
}

/** Finds or installs Python. Without it, the suites that need none run. */
async function acquirePython() {
  try {
    await (await acquireServices({ only: flags.services, names: ['python'] })).stop();
    return true;
  } catch (error) {
    console.log(messageOf(error));
    return false;
  }
}

/**
 * Runs test files. Those that need Python's packages run in a jest of their own when the packages have to be installed
 * first: as soon as that has happened, beside the others. They count as failed when the installation fails.
 * @param {readonly string[]} files
 * @param {(files: readonly string[], options: { readonly workers: number, readonly variables: NodeJS.ProcessEnv }) => ReturnType<typeof runSuites>} run
 */
async function runWithPython(files, run) {
  const withPython = files.filter((file) => NEEDS_PYTHON.test(file));
  const others = files.filter((file) => !NEEDS_PYTHON.test(file));
  const nothing = { allPassed: true, ...NO_TESTS, notRun: [] };
  if (files.length === 0) return nothing;
  const ready = readyTestPython();
  if (withPython.length === 0 || ready !== undefined) {
    const variables = { TEST_PYTHON: ready };
    return { ...(await run(files, { workers: WORKERS, variables })), notRun: [] };
  }
  const runOthers = async () =>
    others.length === 0
      ? nothing
      : { ...(await run(others, { workers: WORKERS, variables: {} })), notRun: [] };
  const runInPython = async () => {
    const python = await buildTestPython({ signal: interrupted.signal }).catch((error) => {
      if (!interrupted.signal.aborted) console.log(messageOf(error));
      return undefined;
    });
    interrupted.signal.throwIfAborted();
    if (python === undefined) return { ...nothing, failed: withPython.length, notRun: withPython };
    const variables = { TEST_PYTHON: python };
    const ended = await run(withPython, { workers: PYTHON_WORKERS, variables });
    return { ...ended, notRun: [] };
  };
  // Both have ended before the servers stop, also when one of them cannot be run.
  const [first, second] = await Promise.allSettled([runOthers(), runInPython()]);
  if (first.status === 'rejected') throw first.reason;
  if (second.status === 'rejected') throw second.reason;
  return {
    allPassed: first.value.allPassed && second.value.allPassed,
    passed: first.value.passed + second.value.passed,
    failed: first.value.failed + second.value.failed,
    skipped: first.value.skipped + second.value.skipped,
    times: [...first.value.times, ...second.value.times],
    coverage: [...first.value.coverage, ...second.value.coverage],
    notRun: second.value.notRun,
  };
}

/** @param {readonly TestTime[]} times */
function printMostExpensive(times) {
  const sum = times.reduce((seconds, one) => seconds + one.processorSeconds, 0);
  console.log(
    `${times.length} test files took ${sum.toFixed(0)} s of processor time, without the servers. The most:`,
  );
  const sorted = [...times].sort((left, right) => right.processorSeconds - left.processorSeconds);
  for (const { path, processorSeconds, wallSeconds } of sorted.slice(0, MOST_EXPENSIVE))
    console.log(
      `${processorSeconds.toFixed(1).padStart(7)} s of ${wallSeconds.toFixed(1)} s  ${relative(workspaceRoot, path)}`,
    );
}

/** @param {AcquiredServices | undefined} services */
function serverVariables(services) {
  if (services?.urls.broker === undefined) return {};
  return {
    AMQP_URL: services.urls.broker,
    REDIS_URL: services.urls.keyValue,
    DATABASE_URL: services.urls.database,
    MARIADB_URL: services.urls.mariadb,
    PGBOUNCER: services.urls.pgbouncer,
    NATS_SERVER: services.urls.nats,
    SEAWEED: services.urls.seaweed,
    BAO: services.urls.bao,
    PROMETHEUS: services.urls.prometheus,
    CHROMIUM: services.urls.chromium,
    HELM: services.urls.helm,
    ZIZMOR: services.urls.workflows,
    OPENAPI_PYTHON_CLIENT: services.urls.generator,
    OCI_REGISTRY: services.urls.registry,
    MILLRACE_PREFIX: services.prefix,
  };
}
