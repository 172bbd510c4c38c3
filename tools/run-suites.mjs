import { execFileSync, spawn } from 'node:child_process';
import { packageBinary } from './package-binary.mjs';
import { workspaceRoot } from './workspace-root.mjs';

/** Those that take the most time begin first, so that none of them is alone at the end. */
const LONGEST = ['standalone', 'gateway', 'components', 'executor'].map(fullName);
const AT_ONCE = 2;
const INSISTING_MILLISECONDS = 10_000;
const LAST_WORDS_MILLISECONDS = 2_000;

/**
 * Runs the test target of every project, or of one. Resolves to whether all went well; an abort ends the processes
 * with SIGTERM and, ten seconds later, with SIGKILL.
 */
export async function runSuites({ project, environment, signal }) {
  const waiting = project === undefined ? longestFirst(projectsWithTests()) : [fullName(project)];
  let allWell = waiting.length > 0;
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined && !signal.aborted; next = waiting.shift())
      allWell = (await runSuite(next, { environment, signal })) && allWell;
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return allWell;
}

function projectsWithTests() {
  const answer = execFileSync(
    process.execPath,
    [packageBinary('nx'), 'show', 'projects', '--with-target=test', '--json'],
    { cwd: workspaceRoot, env: { ...process.env, NX_DAEMON: 'false' }, encoding: 'utf8' },
  );
  return JSON.parse(answer);
}

function longestFirst(projects) {
  const place = (name) => (LONGEST.includes(name) ? LONGEST.indexOf(name) : LONGEST.length);
  return [...projects].sort((left, right) => place(left) - place(right));
}

/** What one suite says is shown in one piece, when it is over. */
function runSuite(project, { environment, signal }) {
  const child = spawn(
    process.execPath,
    [packageBinary('nx'), 'run-many', '-t', 'test', '--skip-nx-cache', `--projects=${project}`],
    {
      cwd: workspaceRoot,
      // A group of its own: Ctrl-C is for this command to handle, so that nothing is left behind.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...environment, NX_DAEMON: 'false', NX_TUI: 'false' },
    },
  );
  const said = [];
  child.stdout.on('data', (chunk) => said.push(chunk));
  child.stderr.on('data', (chunk) => said.push(chunk));
  const signalGroup = (name) => {
    try {
      process.kill(-child.pid, name);
    } catch {
      // Already gone.
    }
  };
  return new Promise((resolve, reject) => {
    let insisting;
    const stop = () => {
      signalGroup('SIGTERM');
      insisting = setTimeout(() => signalGroup('SIGKILL'), INSISTING_MILLISECONDS);
    };
    signal.addEventListener('abort', stop);
    child.once('error', reject);
    child.once('exit', (code) => {
      signal.removeEventListener('abort', stop);
      clearTimeout(insisting);
      // What a killed runner left of its group.
      if (signal.aborted) signalGroup('SIGKILL');
      const finish = () => {
        clearTimeout(patience);
        child.off('close', finish);
        // A pipe that stays open would keep this process, too.
        child.stdout.destroy();
        child.stderr.destroy();
        process.stdout.write(Buffer.concat(said));
        resolve(code === 0);
      };
      // Its last words may still be on their way; somebody who was left behind may keep the pipe open for ever.
      const patience = setTimeout(finish, LAST_WORDS_MILLISECONDS);
      child.once('close', finish);
    });
  });
}

function fullName(project) {
  return project.startsWith('@') ? project : `@millrace/${project}`;
}
