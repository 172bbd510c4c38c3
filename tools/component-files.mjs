import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const source = join('libs', 'components', 'src');

/** Returns the folder of a family of components: their sources and tests. */
export const componentFolder = (family) => join(source, family);
export const pageOf = (type) => join('docs', 'components', `${type}.md`);
export const registryFile = join(source, 'registry.generated.ts');

/** ParserComponent → parser-component, DataToDataFrame → data-to-data-frame, LMStudioModel → lm-studio-model. */
export function fileNameOf(type) {
  return type
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1-$2')
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase();
}

/** Returns every file with a component, which is every file with a default export, as { family, name }. */
export function componentFiles() {
  return readdirSync(source, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name: family }) =>
      readdirSync(join(source, family))
        .filter((file) => file.endsWith('.ts') && !/\.(test|fixture)\.ts$/.test(file))
        .filter((file) => /^export default /m.test(readFileSync(join(source, family, file), 'utf8')))
        .map((file) => ({ family, name: file.replace(/\.ts$/, '') })),
    )
    .sort((one, other) => (`${one.family}/${one.name}` < `${other.family}/${other.name}` ? -1 : 1));
}
