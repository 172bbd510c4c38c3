// `node tools/build.mjs apps/gateway …`: bundles applications into dist/<project>/main.cjs, and builds the web console into
// dist/apps/console.
import { cpSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { readCommandLine } from '../libs/service/src/options/command-line.cjs';
import { bundle } from './build/bundle.mjs';
import { bundleConsole } from './build/bundle-console.mjs';
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
// At the same time: esbuild and the program that makes the image are processes of their own.
await Promise.all([
  ...projects.map((project) => built(bundleProject(project))),
  projects.includes(STANDALONE) ? addImage() : undefined,
]);

/** @param {string} project */
function bundleProject(project) {
  const output = join(workspaceRoot, 'dist', project);
  return project === CONSOLE
    ? bundleConsole(output)
    : bundle(join(project, 'src', 'main.ts'), join(output, 'main.cjs'));
}

/**
 * Sets the exit code when there are errors in the sources, which esbuild has printed; any other error is a defect of this script.
 * @param {Promise<void>} bundling
 */
async function built(bundling) {
  await bundling.catch((error) => {
    if (error.errors === undefined) throw error;
    process.exitCode = 1;
  });
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
