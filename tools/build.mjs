// `node tools/build.mjs apps/gateway …`: bundles applications into dist/<project>/main.cjs.
import { cpSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { readCommandLine } from '../libs/service/src/options/command-line.cjs';
import { bundle } from './bundle.mjs';
import { makeDataDirectoryImage } from './data-directory-image.mjs';
import { messageOf } from './error-fields.mjs';
import { workspaceRoot } from './workspace-root.mjs';

/** The application with an embedded database. */
const STANDALONE = 'apps/standalone';

const { positionals } = readCommandLine({
  usage: `node tools/build.mjs apps/<name> …
  --help`,
  options: {},
  positionals: { minimum: 1, maximum: Infinity },
});
const projects = positionals.map((path) => path.replace(/\/$/, ''));
// At the same time: each works in a process of its own.
await Promise.all([bundleAll(), projects.includes(STANDALONE) ? addImage() : undefined]);

async function bundleAll() {
  for (const project of projects)
    await bundle(join(project, 'src', 'main.ts'), join(workspaceRoot, 'dist', project, 'main.cjs')).catch(
      (error) => {
        // esbuild has already printed errors in the sources; any other error is a defect of this script.
        if (error.errors === undefined) throw error;
        process.exitCode = 1;
      },
    );
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
