// The pages of components, one for each family: what is generated from the components, and the texts of their authors.
import { existsSync, readFileSync } from 'node:fs';
import { componentFiles, pageOf } from '../workspace/component-files.mjs';
import { loadWorkspaceCode } from '../build/load-workspace-code.mjs';

/**
 * @typedef {Pick<typeof import('@millrace/components'), 'componentRegistry'>
 *   & typeof import('../../libs/components/src/component-page')} Code
 */

export async function generate() {
  /** @type {Code} */
  const { componentRegistry, componentPage, componentPages, componentIndex } = await loadWorkspaceCode(
    "export { componentRegistry } from './component-registry'; export * from './component-page';",
    'libs/components/src',
  );
  const files = componentFiles();
  const { all } = componentRegistry;
  const families = new Map(all.map(({ type }, index) => [type, files[index]?.family ?? '']));
  const pages = componentPages(all, ({ type }) => families.get(type) ?? '');
  return [
    fileOf('README', (text) => componentIndex(pages, text)),
    ...pages.map((page) => fileOf(page.name, (text) => componentPage(page, text))),
  ];
}

/**
 * @param {string} name
 * @param {(text: string) => string} update
 */
function fileOf(name, update) {
  const path = pageOf(name);
  return { path, text: update(existsSync(path) ? readFileSync(path, 'utf8') : '') };
}
