import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import testing from '@millrace/testing';
import { buildRevision, findRevision } from '../../interop/build-revision.mjs';
import { countRuns, runFlow, startServer } from './server.mjs';

/**
 * Lets a build of another revision make a data folder and run a flow, and starts the installed package on the folder, which
 * migrates it. Throws when runs are missing. Returns lines about what happened.
 * @param {{ readonly command: string, readonly revision: string, readonly work: string }} options
 */
export async function tryUpgrade({ command, revision, work }) {
  const commit = findRevision(revision);
  const other = buildRevision(commit, console.log, ['apps/standalone']);
  const cwd = join(work, 'upgrade');
  mkdirSync(cwd);
  try {
    const port = await testing.freePort();
    const environment = { MILLRACE_DATA_DIRECTORY: join(cwd, 'data') };
    const before = await startServer(
      process.execPath,
      [join(other.bundles, 'standalone', 'main.cjs'), '--port', String(port)],
      { port, cwd: join(other.bundles, '..', '..'), environment },
    );
    await runFlow(before.url);
    const runs = await countRuns(before.url);
    await before.stop();
    const after = await startServer(command, ['up', '--port', String(port)], { port, cwd, environment });
    try {
      await runFlow(after.url);
      const now = await countRuns(after.url);
      if (now !== runs + 1) throw new Error(`after the upgrade there are ${now} runs instead of ${runs + 1}`);
    } finally {
      await after.stop();
    }
    return [`upgrade: a data folder of ${commit.slice(0, 8)} was migrated, with its runs; a flow ran`];
  } finally {
    other.remove();
  }
}
