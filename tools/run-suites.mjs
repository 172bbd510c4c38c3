import { spawn } from 'node:child_process';
import { packageBinary } from './package-binary.mjs';
import { workspaceRoot } from './workspace-root.mjs';

/**
 * Runs the test target of every project, or of one. Resolves to whether all went well; an abort ends the processes
 * with SIGTERM and, ten seconds later, with SIGKILL.
 */
export function runSuites({ project, environment, signal }) {
  const choice = project === undefined ? [] : [`--projects=${fullName(project)}`];
  const child = spawn(
    process.execPath,
    [packageBinary('nx'), 'run-many', '-t', 'test', '--parallel=2', '--skip-nx-cache', ...choice],
    {
      cwd: workspaceRoot,
      // A group of its own: Ctrl-C is for this command to handle, so that nothing is left behind.
      detached: true,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, ...environment, NX_DAEMON: 'false', NX_TUI: 'false' },
    },
  );
  const signalGroup = (name) => {
    try {
      process.kill(-child.pid, name);
    } catch {
      // Already gone.
    }
  };
  return new Promise((resolve, reject) => {
    let insisting;
    signal.addEventListener('abort', () => {
      signalGroup('SIGTERM');
      insisting = setTimeout(() => signalGroup('SIGKILL'), 10_000);
    });
    child.once('error', reject);
    child.once('exit', (code) => {
      clearTimeout(insisting);
      // What a killed runner left of its group.
      if (signal.aborted) signalGroup('SIGKILL');
      resolve(code === 0);
    });
  });
}

function fullName(project) {
  return project.startsWith('@') ? project : `@millrace/${project}`;
}
