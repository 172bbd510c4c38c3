// The pages of components: tables generated from the component, followed by the text of its author. Components that differ
// in names and defaults only share a page.
import { existsSync, readFileSync } from 'node:fs';
import { pageOf } from '../workspace/component-files.mjs';
import { loadWorkspaceCode } from '../workspace/load-workspace-code.mjs';

/**
 * @typedef {Pick<typeof import('@millrace/components'), 'componentRegistry'>
 *   & typeof import('../../libs/components/src/component-page')} Code
 */

export async function generate() {
  /** @type {Code} */
  const { componentRegistry, componentPage, componentPages } = await loadWorkspaceCode(
    "export { componentRegistry } from './component-registry'; export * from './component-page';",
    'libs/components/src',
  );
  return componentPages(componentRegistry.all).map((page) => {
    const path = pageOf(page.name);
    return { path, text: componentPage(page, existsSync(path) ? readFileSync(path, 'utf8') : '') };
  });
}
