// `node tools/build-console.mjs`: builds the web console into dist/apps/console, unless it is newer than its sources.
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { readCommandLine } from '../libs/service/src/options/command-line.cjs';
import { workspaceRoot } from './workspace-root.mjs';

const source = join(workspaceRoot, 'apps', 'console');
const output = join(workspaceRoot, 'dist', 'apps', 'console');
const inputs = [
  source,
  join(workspaceRoot, 'package-lock.json'),
  join(workspaceRoot, 'tools', 'build-console.mjs'),
];

const { values } = readCommandLine({
  usage: `node tools/build-console.mjs [options]
  --force  build although nothing has changed
  --help`,
  options: { force: { type: 'boolean' } },
});
if (values.force || isStale()) await buildConsole();

function isStale() {
  const page = join(output, 'index.html');
  return !existsSync(page) || statSync(page).mtimeMs < Math.max(...inputs.map(newestChange));
}

async function buildConsole() {
  // Loaded here: most builds find nothing to do.
  const { build } = await import('vite');
  const { default: react } = await import('@vitejs/plugin-react');
  await build({
    configFile: false,
    root: source,
    logLevel: 'warn',
    plugins: [react()],
    build: {
      outDir: output,
      emptyOutDir: true,
      // Inline data would need exceptions from the Content-Security-Policy.
      assetsInlineLimit: 0,
      target: 'es2022',
      reportCompressedSize: false,
    },
  });
  compress(join(output, 'assets'));
}

/**
 * Writes `.br` and `.gz` beside each asset, so that the gateway compresses nothing.
 * @param {string} folder
 */
function compress(folder) {
  for (const name of readdirSync(folder)) {
    const bytes = readFileSync(join(folder, name));
    writeFileSync(join(folder, `${name}.gz`), gzipSync(bytes, { level: 9 }));
    const parameters = { [constants.BROTLI_PARAM_QUALITY]: 10 };
    writeFileSync(join(folder, `${name}.br`), brotliCompressSync(bytes, { params: parameters }));
  }
}

/**
 * @param {string} path
 * @returns {number}
 */
function newestChange(path) {
  const status = statSync(path);
  if (!status.isDirectory()) return status.mtimeMs;
  return Math.max(status.mtimeMs, ...readdirSync(path).map((name) => newestChange(join(path, name))));
}
