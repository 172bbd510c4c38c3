import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { build } from 'esbuild';
import { workspaceRoot } from '../workspace/workspace-root.mjs';

/** @import { Metafile } from 'esbuild' */

const SOURCES = join(workspaceRoot, 'apps', 'console');
/** Relative to `SOURCES`, as index.html and the record of esbuild name them. */
const ENTRY = 'src/main.tsx';
const ICON = 'src/styles/mark.svg';

/**
 * Bundles the web console into `outdir`: index.html, and `assets/` with a hash in each name, each file also as `.br` and
 * `.gz`, so that the gateway compresses nothing. Files of the build before are removed last. Throws as esbuild does.
 * @param {string} outdir
 */
export async function bundleConsole(outdir) {
  const assets = join(outdir, 'assets');
  const { metafile } = await build({
    absWorkingDir: SOURCES,
    entryPoints: [ENTRY],
    outdir: assets,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    publicPath: '/assets',
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    // Inline data would need exceptions from the Content-Security-Policy.
    loader: { '.svg': 'file' },
    define: { 'process.env.NODE_ENV': '"production"' },
    metafile: true,
    logLevel: 'warning',
  });
  const names = Object.keys(metafile.outputs).map((path) => basename(path));
  await Promise.all(names.map((name) => compress(join(assets, name))));
  writeFileSync(join(outdir, 'index.html'), pageOf(metafile));
  const kept = new Set(names.flatMap((name) => [name, `${name}.br`, `${name}.gz`]));
  for (const name of readdirSync(assets)) if (!kept.has(name)) rmSync(join(assets, name));
}

/**
 * Returns index.html with the addresses of the built files. The page names the modules that its script imports, so that a browser
 * does not wait for the script before it asks for them.
 * @param {Metafile} metafile
 */
function pageOf({ outputs }) {
  const found = Object.entries(outputs);
  const script = found.find(([, { entryPoint }]) => entryPoint === ENTRY);
  const icon = found.find(([, { inputs }]) => Object.keys(inputs).join() === ICON);
  const style = script?.[1].cssBundle;
  if (script === undefined || icon === undefined || style === undefined)
    throw new Error(`The bundle of the console lacks ${ENTRY}, its style or ${ICON}.`);
  /** @type {Set<string>} */
  const modules = new Set();
  /** @param {string} path */
  const add = (path) => {
    for (const { path: imported, kind } of outputs[path].imports)
      if (kind === 'import-statement' && !modules.has(imported)) {
        modules.add(imported);
        add(imported);
      }
  };
  add(script[0]);
  const links = [
    ...[...modules].map((path) => `<link rel="modulepreload" href="${address(path)}" />`),
    `<link rel="stylesheet" href="${address(style)}" />`,
  ];
  return readFileSync(join(SOURCES, 'index.html'), 'utf8')
    .replace(`/${ENTRY}`, address(script[0]))
    .replace(`/${ICON}`, address(icon[0]))
    .replace('</head>', `  ${links.join('\n    ')}\n  </head>`);
}

/** @param {string} path */
function address(path) {
  return `/assets/${basename(path)}`;
}

/** @param {string} file */
async function compress(file) {
  const bytes = readFileSync(file);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 10 };
  writeFileSync(`${file}.gz`, await promisify(gzip)(bytes, { level: 9 }));
  writeFileSync(`${file}.br`, await promisify(brotliCompress)(bytes, { params }));
}
