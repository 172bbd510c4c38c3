import { deepEqual, ok } from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { workspaceRoot } from './workspace-root.mjs';

/** @typedef {{ readonly project: string, readonly text: string }} Source */

const files = globSync('{apps,libs,tests,tools,bench,chaos,deploy,examples,.ci}/**/*.{ts,tsx,mjs,cjs}', {
  cwd: workspaceRoot,
  exclude: ['**/node_modules/**'],
});

/** Names that no code imports, and that TypeScript writes into the declarations of other projects. */
const declared = new Set(['libs/service/src/index.ts: SettingOf']);

/** The folder of an app or a library; other files are one project. @param {string} path */
const projectOf = (path) =>
  /^(?:(?:apps|libs)\/[^/]+|tests\/(?:kit|scaled-system)|tests)/.exec(path)?.[0] ?? '';

test('each name that a project exports is imported by another project', () => {
  const imported = importedNames(files.map((path) => ({ project: projectOf(path), text: read(path) })));
  const places = files.filter((path) =>
    /^(?:apps|libs|tests)\/[^/]+\/src\/(?:testing\/)?index\.(?:ts|cjs)$/.test(path),
  );
  ok(places.length > 20);
  const unused = places.flatMap((path) => {
    const names = exportedNames(read(path));
    ok(names.length > 0, path);
    return names
      .filter((name) => imported.get(moduleOf(path))?.has(name) !== true)
      .map((name) => `${path}: ${name}`)
      .filter((place) => !declared.has(place));
  });
  deepEqual(unused, [], 'Remove these names from the index; a test of the project imports their file.');
});

/** @param {string} path */
function read(path) {
  return readFileSync(join(workspaceRoot, path), 'utf8');
}

/** Returns the name by which other projects import an index. @param {string} path */
function moduleOf(path) {
  const { name } = JSON.parse(read(join(projectOf(path), 'package.json')));
  return dirname(path).endsWith('/testing') ? `${name}/testing` : name;
}

/** @param {string} index */
function exportedNames(index) {
  const lists = [...index.matchAll(/^(?:export (?:type )?|module\.exports = )\{([^}]*)\}/gm)];
  const types = [...index.matchAll(/^ \* @typedef \{.*\} (\w+)$/gm)].map(([, name = '']) => name);
  return [...lists.flatMap(([, names = '']) => namesIn(names, 1)), ...types];
}

/**
 * Returns the names of a list such as `type A, b as c`: those before `as`, or those after it.
 * @param {string} list
 * @param {0 | 1} side
 */
function namesIn(list, side) {
  return list
    .split(',')
    .map((entry) =>
      entry
        .replaceAll('*', ' ')
        .trim()
        .replace(/^type /, '')
        .split(/ as |: /),
    )
    .map((names) => (side === 0 ? names[0] : names.at(-1)) ?? '')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

/**
 * Returns by module of this workspace the names that other projects import, in code, in comments with types, and in texts
 * of code that scripts load.
 * @param {readonly Source[]} sources
 */
function importedNames(sources) {
  /** @type {Map<string, Set<string>>} */
  const imported = new Map();
  for (const { project, text } of sources) {
    /** @param {string} module @param {readonly string[]} names */
    const add = (module, names) => {
      const [, name] = /^@millrace\/([^/]+)/.exec(module) ?? [];
      if (name === undefined || [`libs/${name}`, `apps/${name}`].includes(project)) return;
      imported.set(module, new Set([...(imported.get(module) ?? []), ...names]));
    };
    for (const [, names = '', module = ''] of text.matchAll(
      /(?:import|export)\s+(?:type\s+)?\{([^}]*)\}\s*from\s*'(@millrace\/[^']+)'/g,
    ))
      add(module, namesIn(names, 0));
    for (const [, names = '', module = ''] of text.matchAll(
      /\{([^{}]*)\}\s*=\s*(?:await import|require)\('(@millrace\/[^']+)'\)/g,
    ))
      add(module, namesIn(names, 0));
    for (const [, module = '', name = ''] of text.matchAll(/import\('(@millrace\/[^']+)'\)\.(\w+)/g))
      add(module, [name]);
    for (const [, all = '', module = ''] of text.matchAll(/import \* as (\w+) from '(@millrace\/[^']+)'/g))
      add(
        module,
        [...text.matchAll(new RegExp(`\\b${all}\\.(\\w+)`, 'g'))].map(([, name = '']) => name),
      );
  }
  return imported;
}
