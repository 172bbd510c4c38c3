import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { workspaceRoot } from '../workspace/workspace-root.mjs';
import { CODE_STYLES, OUTPUT } from './site-folders.mjs';

/** Packages of which the scripts and styles of the guide have parts. */
const PARTS = [
  '@vue/shared',
  '@vueuse/core',
  'focus-trap',
  'mark.js',
  'minisearch',
  'tabbable',
  'vitepress',
  'vue',
];
const BASE = '/guide/';
const INLINE_SCRIPT = /<script id="[^"]*">(.*?)<\/script>/gs;
const TAG = /<[a-z][^<>]*>/gi;
const COMPRESSED = /\.(?:html|js|css|svg|json)$/;

/**
 * Moves the scripts and styles in the pages to files, so that the Content-Security-Policy needs no exception, and adds each file
 * compressed.
 */
export async function finishSite() {
  const styles = writeAsset('code', 'css', readFileSync(CODE_STYLES, 'utf8'));
  const files = siteFiles();
  for (const name of files.filter((file) => file.endsWith('.html'))) {
    const path = join(OUTPUT, name);
    const page = readFileSync(path, 'utf8')
      .replaceAll(INLINE_SCRIPT, (_, code) => `<script src="${writeAsset('page', 'js', code)}"></script>`)
      .replaceAll(TAG, (tag) => tag.replace(/ style="[^"]*"/, ''))
      .replace('</head>', `<link rel="stylesheet" href="${styles}"></head>`);
    writeFileSync(path, page);
  }
  writeFileSync(join(OUTPUT, 'licenses.txt'), PARTS.map(licenseOf).join('\n\n'));
  const compressed = siteFiles().filter((name) => COMPRESSED.test(name));
  for (const name of compressed) {
    const bytes = await promisify(gzip)(readFileSync(join(OUTPUT, name)), { level: 9 });
    writeFileSync(join(OUTPUT, `${name}.gz`), bytes);
  }
  return { pages: files.filter((name) => name.endsWith('.html')).length };
}

/** @param {string} name */
function licenseOf(name) {
  const folder = join(workspaceRoot, 'node_modules', name);
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  if (file === undefined) throw new Error(`${name} has no file with its license.`);
  return `${name}\n\n${readFileSync(join(folder, file), 'utf8')}`;
}

/** Returns the files of the built guide, relative to its folder and in a fixed order. */
export function siteFiles() {
  return readdirSync(OUTPUT, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(OUTPUT.length + 1))
    .sort();
}

/**
 * Writes a file with a hash in its name; returns its address.
 * @param {string} name
 * @param {string} extension
 * @param {string} text
 */
function writeAsset(name, extension, text) {
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 8);
  const path = `assets/${name}-${hash}.${extension}`;
  writeFileSync(join(OUTPUT, path), text);
  return BASE + path;
}
