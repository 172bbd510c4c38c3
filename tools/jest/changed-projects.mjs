import { spawnSync } from 'node:child_process';
import { packageBinary } from '../workspace/package-binary.mjs';
import { workspaceRoot } from '../workspace/workspace-root.mjs';

/**
 * Returns the names of the projects that differ from `main`, changes without a commit included, and of those that depend on
 * them: the names that `npm test -- <project>` takes. Throws when Nx cannot tell.
 */
export function changedProjects() {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [packageBinary('nx'), 'show', 'projects', '--affected', '--base=main', '--json'],
    { cwd: workspaceRoot, encoding: 'utf8', env: { ...process.env, NX_DAEMON: 'false', NX_TUI: 'false' } },
  );
  if (status !== 0) throw new Error(`Nx does not tell which projects have changed: ${stderr || stdout}`);
  /** @type {string[]} */
  const names = JSON.parse(stdout);
  return names.map((name) => name.replace('@millrace/', ''));
}
