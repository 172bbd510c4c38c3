// The list of all components, from the files that define one.
import { componentFiles, registryFile } from '../component-files.mjs';

export function generate() {
  const files = componentFiles();
  const text = [
    '// Generated from the component files: npm run generate -- registry',
    "import type { Component } from '@millrace/flow';",
    ...files.map(({ family, name }) => `import ${identifier(name)} from './${family}/${name}';`),
    '',
    `export const components: readonly Component[] = [${files.map(({ name }) => identifier(name)).join(', ')}];`,
    '',
  ].join('\n');
  return [{ path: registryFile, text }];
}

/** @param {string} name */
function identifier(name) {
  return name.replace(/-([a-z0-9])/g, (_, letter) => letter.toUpperCase());
}
