import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const source = join('libs', 'components', 'src');

/** Folders beside the families: they hold no components. */
const otherFolders = new Set(['integrations', 'parsing', 'testing']);

/**
 * Returns the folder of a family of components: their sources and tests.
 * @param {string} family
 */
export const componentFolder = (family) => join(source, family);
/** @param {string} name the type of a component, or the name of the page of several */
export const pageOf = (name) => join('docs', 'components', `${name}.md`);
export const registryFile = join(source, 'registry.generated.ts');

/**
 * ParserComponent → parser, DataToDataFrame → data-to-data-frame, LMStudioModel → lm-studio-model.
 * @param {string} type
 */
export function fileNameOf(type) {
  return type
    .replace(/(.)Component$/, '$1')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1-$2')
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase();
}

/**
 * Returns the files of all components as { family, name }: every file directly in the folder of a family whose default
 * export is a component. What components are made of has no default export.
 */
export function componentFiles() {
  return readdirSync(source, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !otherFolders.has(entry.name))
    .flatMap(({ name: family }) =>
      readdirSync(join(source, family))
        .filter((file) => file.endsWith('.ts') && !/\.(test|fixture|contract)\.ts$/.test(file))
        .filter((file) => /^export default /m.test(readFileSync(join(source, family, file), 'utf8')))
        .map((file) => ({ family, name: file.replace(/\.ts$/, '') })),
    )
    .sort((one, other) => (`${one.family}/${one.name}` < `${other.family}/${other.name}` ? -1 : 1));
}
