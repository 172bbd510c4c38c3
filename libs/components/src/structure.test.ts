import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Component } from '@millrace/flow';
import { componentRegistry } from './index';
import { registryOf } from './component-registry';
import { authoredSections, componentPages } from './component-page';

const workspace = resolve(__dirname, '../../..');
const check = (generator: string): { readonly status: number | null; readonly output: string } => {
  const run = spawnSync(process.execPath, ['tools/generate.mjs', generator, '--check'], {
    cwd: workspace,
    encoding: 'utf8',
    timeout: 600_000,
  });
  return { status: run.status, output: run.stdout + run.stderr };
};

const registry = readFileSync(join(__dirname, 'registry.generated.ts'), 'utf8');
/** `search/wikipedia` for each component, in the order of the registry. */
const files = [...registry.matchAll(/from '\.\/(.+\/.+)'/g)].map((match) => match[1] ?? '');
const familyOf = (component: Component): string =>
  dirname(files[componentRegistry.all.indexOf(component)] ?? '');

test('the registry lists every component', () => {
  expect(check('registry')).toEqual({ status: 0, output: '' });
});

test('every component has a page whose generated tables are up to date', () => {
  expect(check('pages')).toEqual({ status: 0, output: '' });
});

test('every page has an authored part, and belongs to components', () => {
  const folder = join(workspace, 'docs/components');
  const pages = componentPages(componentRegistry.all, familyOf);
  expect(readdirSync(folder).toSorted()).toEqual(
    ['README.md', ...pages.map(({ name }) => `${name}.md`)].toSorted(),
  );
  for (const { name, sections } of pages) {
    const authored = authoredSections(readFileSync(join(folder, `${name}.md`), 'utf8'));
    expect([...authored.keys()]).toEqual(sections.map(({ title }) => title));
    for (const [title, text] of authored) {
      expect([title, text.length > 15]).toEqual([title, true]);
      expect(text).not.toContain('Write what a user of this component must know.');
    }
  }
});

test('no two components share a name', () => {
  expect(() => registryOf([...componentRegistry.all, ...componentRegistry.all.slice(0, 1)])).toThrow(
    'Two components',
  );
});

test('a component is found by its type and by its aliases', () => {
  for (const component of componentRegistry.all) {
    for (const name of [component.type, ...(component.aliases ?? [])]) {
      expect(componentRegistry.find(name)).toBe(component);
    }
  }
  expect(componentRegistry.find('Unknown')).toBeUndefined();
});

describe.each(componentRegistry.all.map((component) => [component.type, component] as const))(
  '%s',
  (type, component) => {
    test('has a display name, a description, outputs and named inputs', () => {
      expect(component.displayName).not.toBe('');
      expect(component.description).toMatch(/^[A-Z].{10,}\.$/);
      expect(Object.keys(component.outputs)).not.toEqual([]);
      for (const input of Object.values(component.inputs)) expect(input.displayName).toBeTruthy();
    });

    test('has a test next to it', () => {
      const file = files.find((path) =>
        readFileSync(join(__dirname, `${path}.ts`), 'utf8').includes(`'${type}'`),
      );
      expect(file).toBeDefined();
      expect(existsSync(join(__dirname, `${file ?? ''}.test.ts`))).toBe(true);
    });
  },
);
