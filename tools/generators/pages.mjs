// One page for each component: tables from the component itself, and below them what an author wrote.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { pageOf } from '../component-files.mjs';

export async function generate() {
  const { componentRegistry, componentPage } = await loadComponents();
  return componentRegistry.all.map((component) => {
    const path = pageOf(component.type);
    return { path, text: componentPage(component, existsSync(path) ? readFileSync(path, 'utf8') : '') };
  });
}

/** The components' own code, bundled for this process. Inside the workspace, so that npm packages are found. */
async function loadComponents() {
  const folder = mkdtempSync(join(resolve('node_modules'), '.millrace-pages-'));
  const outfile = join(folder, 'components.cjs');
  try {
    await build({
      stdin: {
        contents: [
          "export { componentRegistry } from './component-registry';",
          "export { componentPage } from './component-page';",
        ].join('\n'),
        resolveDir: resolve('libs/components/src'),
        loader: 'ts',
      },
      outfile,
      bundle: true,
      platform: 'node',
      format: 'cjs',
      target: 'node20',
      external: ['openai'],
      logLevel: 'error',
    });
    return createRequire(import.meta.url)(outfile);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
