// The list of all components by their names, from the files that define one.
import { componentFiles, registryFile } from '../workspace/component-files.mjs';
import { loadWorkspaceCode } from '../build/load-workspace-code.mjs';

/** @typedef {ReturnType<typeof componentFiles>[number]} ComponentFile */

export async function generate() {
  const files = componentFiles();
  const { components } = await loadWorkspaceCode(
    [...importsOf(files), `export const components = [${identifiers(files).join(', ')}];`].join('\n'),
    'libs/components/src',
  );
  const entries = identifiers(files).flatMap((identifier, index) => {
    const { type, aliases = [] } = components[index];
    return [type, ...aliases].map((name) => `${JSON.stringify(name)}: () => ${identifier},`);
  });
  const text = [
    '// Generated from the component files: npm run generate -- registry',
    "import type { Component } from '@millrace/flow';",
    ...importsOf(files),
    '',
    '/** The components by type and by alias. A function each: where imports are lazy, it loads the component. */',
    'export const components: Readonly<Record<string, () => Component>> = {',
    ...entries,
    '};',
    '',
  ].join('\n');
  return [{ path: registryFile, text }];
}

/** @param {readonly ComponentFile[]} files */
function importsOf(files) {
  const names = identifiers(files);
  return files.map(({ family, name }, index) => `import ${names[index]} from './${family}/${name}';`);
}

/** @param {readonly ComponentFile[]} files */
function identifiers(files) {
  return files.map(({ name }) => name.replace(/-([a-z0-9])/g, (_, letter) => letter.toUpperCase()));
}
