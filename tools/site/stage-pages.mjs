import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { workspaceRoot } from '../workspace/workspace-root.mjs';
import { apiPages } from './api-pages.mjs';
import { DIAGRAMS } from './markdown.mjs';
import { sitePages } from './pages.mjs';
import { OPERATIONS, STAGE } from './site-folders.mjs';

/** @import { OpenApi } from './openapi' */

const IMAGE = /!\[[^\]]*\]\(([^():]+)\)/g;
const ICON = join('apps', 'console', 'src', 'styles', 'mark.svg');

/**
 * Writes the Markdown and images of all pages to one folder, as VitePress reads them.
 * @param {OpenApi} document
 */
export function stagePages(document) {
  rmSync(STAGE, { recursive: true, force: true });
  for (const [source, page] of sitePages()) {
    const text = readFileSync(join(workspaceRoot, source), 'utf8');
    write(page, text);
    for (const [, image = ''] of text.matchAll(IMAGE))
      cpSync(join(workspaceRoot, posix.dirname(source), image), join(STAGE, posix.dirname(page), image));
  }
  const api = apiPages(document);
  for (const { page, text } of api) write(page, `${text}\n`);
  const drawn = join(workspaceRoot, 'tools', 'site', DIAGRAMS);
  for (const name of readdirSync(drawn)) cpSync(join(drawn, name), join(STAGE, DIAGRAMS, name));
  cpSync(join(workspaceRoot, ICON), join(STAGE, 'public', 'mark.svg'));
  writeFileSync(
    OPERATIONS,
    JSON.stringify(api.map(({ page, title }) => ({ text: title, link: `/${page}` }))),
  );
}

/**
 * @param {string} page
 * @param {string} text
 */
function write(page, text) {
  const file = join(STAGE, page);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
