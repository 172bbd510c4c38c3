// One page for each component: tables generated from the component, followed by the text of its author.
import { existsSync, readFileSync } from 'node:fs';
import { pageOf } from '../workspace/component-files.mjs';
import { loadWorkspaceCode } from '../workspace/load-workspace-code.mjs';

/**
 * @typedef {Pick<typeof import('@millrace/components'), 'componentRegistry'>
 *   & typeof import('../../libs/components/src/component-page')} Code
 */

export async function generate() {
  /** @type {Code} */
  const { componentRegistry, componentPage } = await loadWorkspaceCode(
    "export { componentRegistry } from './component-registry'; export { componentPage } from './component-page';",
    'libs/components/src',
  );
  return componentRegistry.all.map((component) => {
    const path = pageOf(component.type);
    return { path, text: componentPage(component, existsSync(path) ? readFileSync(path, 'utf8') : '') };
  });
}
