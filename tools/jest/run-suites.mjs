import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { coverageOptions, readCoverage } from './coverage.mjs';
import { testVariables } from './test-variables.mjs';
import { packageBinary } from '../workspace/package-binary.mjs';
import { workspaceRoot } from '../workspace/workspace-root.mjs';

/** @import { AggregatedResult } from '@jest/reporters' */
/** @import { TestTime } from './test-times.cjs' */

/** @typedef {{ readonly environment: NodeJS.ProcessEnv, readonly signal: AbortSignal }} JestOptions */
/** @typedef {{ readonly results: AggregatedResult, readonly times: readonly TestTime[] }} Report what the reporter sends */

const CONFIGURATION = join(workspaceRoot, 'tools', 'jest', 'all-projects.cjs');
const KILL_AFTER_MILLISECONDS = 10_000;
const OUTPUT_DRAIN_MILLISECONDS = 2_000;

/**
 * Runs test files in one jest with `workers` processes, which share all files; `files` is a list of paths. Resolves to { allPassed,
 * passed, failed, skipped, times, coverage }, `coverage` with a folder for its counts; the counts are zero when jest did not finish. An abort ends the processes with SIGTERM and, ten seconds later, with SIGKILL.
 * @param {JestOptions & { readonly files: readonly string[], readonly workers: number, readonly coverageFolder?: string | undefined }} options
 */
export async function runSuites({ files, workers, coverageFolder, environment, signal }) {
  const counting = coverageFolder === undefined ? [] : coverageOptions(coverageFolder);
  const words = [
    '--config',
    CONFIGURATION,
    `--maxWorkers=${workers}`,
    ...counting,
    '--runTestsByPath',
    ...files,
  ];
  const { code, report } = await runJest(words, { environment, signal });
  return {
    allPassed: code === 0,
    ...countsOf(report?.results),
    times: report?.times ?? [],
    coverage: coverageFolder === undefined ? [] : [readCoverage(coverageFolder)],
  };
}

/**
 * Adds up jest's counts. A suite that did not start has no tests, and counts as one failure.
 * @param {AggregatedResult | undefined} results
 */
function countsOf(results) {
  if (results === undefined) return { passed: 0, failed: 0, skipped: 0 };
  return {
    passed: results.numPassedTests,
    failed: results.numFailedTests + results.numRuntimeErrorTestSuites,
    skipped: results.numPendingTests + results.numTodoTests,
  };
}

/**
 * Runs jest and forwards its output. Resolves to its exit code, or to null when a signal ended it, with what the reporter
 * sends.
 * @param {readonly string[]} words
 * @param {JestOptions} options
 * @returns {Promise<{ code: number | null, report: Report | undefined }>}
 */
function runJest(words, { environment, signal }) {
  const child = spawn(process.execPath, [packageBinary('jest'), ...words], {
    cwd: workspaceRoot,
    // In a separate process group, because this command handles Ctrl-C and cleans up.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { ...testVariables(process.env), ...environment },
  });
  const outputs = [child.stdout, child.stderr].filter((output) => output !== null);
  /** @type {Report | undefined} */
  let report;
  child.on('message', (message) => (report = /** @type {Report} */ (message)));
  for (const output of outputs) output.pipe(process.stdout, { end: false });
  /** @param {NodeJS.Signals} name */
  const signalGroup = (name) => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, name);
    } catch {
      // The process has already ended.
    }
  };
  return new Promise((resolve, reject) => {
    /** @type {NodeJS.Timeout | undefined} */
    let killTimer;
    const stop = () => {
      signalGroup('SIGTERM');
      killTimer = setTimeout(() => signalGroup('SIGKILL'), KILL_AFTER_MILLISECONDS);
    };
    signal.addEventListener('abort', stop);
    child.once('error', reject);
    child.once('exit', (code) => {
      signal.removeEventListener('abort', stop);
      clearTimeout(killTimer);
      // End the processes that a killed runner left behind in its group.
      if (signal.aborted) signalGroup('SIGKILL');
      const finish = () => {
        clearTimeout(outputTimer);
        child.off('close', finish);
        // An open pipe would keep this process alive.
        for (const output of outputs) output.destroy();
        resolve({ code, report });
      };
      // Output can still arrive after the exit, but a process left behind can keep the pipe open indefinitely.
      const outputTimer = setTimeout(finish, OUTPUT_DRAIN_MILLISECONDS);
      child.once('close', finish);
    });
  });
}
