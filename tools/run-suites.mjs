import { execFileSync, spawn } from 'node:child_process';
import { packageBinary } from './package-binary.mjs';
import { workspaceRoot } from './workspace-root.mjs';

/** @typedef {{ readonly environment: NodeJS.ProcessEnv, readonly signal: AbortSignal }} SuiteOptions */

/** The slowest projects start first, so that none of them runs alone at the end. */
const SLOWEST_PROJECTS = ['standalone', 'gateway', 'components', 'executor'].map(fullName);
const PARALLEL_SUITES = 2;
const KILL_AFTER_MILLISECONDS = 10_000;
const OUTPUT_DRAIN_MILLISECONDS = 2_000;

/**
 * Runs the test target of every project, or of one. Resolves to whether all passed. An abort ends the processes with
 * SIGTERM and, ten seconds later, with SIGKILL.
 * @param {SuiteOptions & { readonly project: string | undefined }} options
 */
export async function runSuites({ project, environment, signal }) {
  const waiting = project === undefined ? slowestFirst(projectsWithTests()) : [fullName(project)];
  let allPassed = waiting.length > 0;
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined && !signal.aborted; next = waiting.shift())
      allPassed = (await runSuite(next, { environment, signal })) && allPassed;
  };
  await Promise.all(Array.from({ length: PARALLEL_SUITES }, work));
  return allPassed;
}

/** @returns {string[]} */
function projectsWithTests() {
  const answer = execFileSync(
    process.execPath,
    [packageBinary('nx'), 'show', 'projects', '--with-target=test', '--json'],
    { cwd: workspaceRoot, env: { ...process.env, NX_DAEMON: 'false' }, encoding: 'utf8' },
  );
  return JSON.parse(answer);
}

/** @param {readonly string[]} projects */
function slowestFirst(projects) {
  /** @param {string} name */
  const place = (name) =>
    SLOWEST_PROJECTS.includes(name) ? SLOWEST_PROJECTS.indexOf(name) : SLOWEST_PROJECTS.length;
  return [...projects].sort((left, right) => place(left) - place(right));
}

/**
 * Runs one suite and prints its output as a block when it has ended.
 * @param {string} project
 * @param {SuiteOptions} options
 * @returns {Promise<boolean>}
 */
function runSuite(project, { environment, signal }) {
  const child = spawn(
    process.execPath,
    [packageBinary('nx'), 'run-many', '-t', 'test', '--skip-nx-cache', `--projects=${project}`],
    {
      cwd: workspaceRoot,
      // In a separate process group, because this command handles Ctrl-C and cleans up.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...environment, NX_DAEMON: 'false', NX_TUI: 'false' },
    },
  );
  /** @type {Buffer[]} */
  const chunks = [];
  child.stdout.on('data', (chunk) => chunks.push(chunk));
  child.stderr.on('data', (chunk) => chunks.push(chunk));
  /** @param {NodeJS.Signals} name */
  const signalGroup = (name) => {
    if (child.pid === undefined) return;
    try {
      process.kill(-child.pid, name);
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
        child.stdout.destroy();
        child.stderr.destroy();
        process.stdout.write(Buffer.concat(chunks));
        resolve(code === 0);
      };
      // Output can still arrive after the exit, but a process left behind can keep the pipe open indefinitely.
      const outputTimer = setTimeout(finish, OUTPUT_DRAIN_MILLISECONDS);
      child.once('close', finish);
    });
  });
}

/** @param {string} project */
function fullName(project) {
  return project.startsWith('@') ? project : `@millrace/${project}`;
}
