// `node tools/build.mjs apps/gateway …`: bundles applications into dist/<project>/main.cjs, and builds the web console into
// dist/apps/console.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { readCommandLine } from '../libs/service/src/options/command-line.cjs';
import { bundle } from './build/bundle.mjs';
import { makeDataDirectoryImage } from './build/data-directory-image.mjs';
import { messageOf } from './workspace/error-fields.mjs';
import { workspaceRoot } from './workspace/workspace-root.mjs';

/** The application with an embedded database. */
const STANDALONE = 'apps/standalone';
/** The web console. */
const CONSOLE = 'apps/console';

const { positionals } = readCommandLine({
  usage: `node tools/build.mjs apps/<name> …
  --help`,
  options: {},
  positionals: { minimum: 1, maximum: Infinity },
});
const projects = positionals.map((path) => path.replace(/\/$/, ''));
// At the same time: each works in a process of its own.
await Promise.all([
  bundleAll(),
  projects.includes(STANDALONE) ? addImage() : undefined,
  projects.includes(CONSOLE) ? buildConsole() : undefined,
]);

async function bundleAll() {
  for (const project of projects.filter((name) => name !== CONSOLE))
    await bundle(join(project, 'src', 'main.ts'), join(workspaceRoot, 'dist', project, 'main.cjs')).catch(
      (error) => {
        // esbuild has already printed errors in the sources; any other error is a defect of this script.
        if (error.errors === undefined) throw error;
        process.exitCode = 1;
      },
    );
}

/** Builds the web console in a process of its own, since Vite uses the folder of the process. */
async function buildConsole() {
  const vite = join(workspaceRoot, 'node_modules', 'vite', 'bin', 'vite.js');
  const child = spawn(process.execPath, [vite, 'build', '--logLevel', 'warn'], {
    cwd: join(workspaceRoot, CONSOLE),
    stdio: 'inherit',
  });
  const [status] = await once(child, 'close');
  if (status !== 0) process.exitCode = 1;
}

/** Adds the image of a data directory. Without one, a first start creates its database itself. */
async function addImage() {
  const output = join(workspaceRoot, 'dist', STANDALONE);
  try {
    const image = await makeDataDirectoryImage();
    mkdirSync(output, { recursive: true });
    for (const name of readdirSync(output)) if (name.endsWith('.image')) rmSync(join(output, name));
    cpSync(image, join(output, basename(image)));
  } catch (error) {
    console.warn(
      `The image of a data directory was not made; a first start takes longer: ${messageOf(error)}`,
    );
  }
}
