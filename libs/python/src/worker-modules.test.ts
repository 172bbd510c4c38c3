import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workerFolder } from './worker-folder';

const PACKAGE = 'millrace_worker';

test('finds the circle of modules that import each other, also within functions and for types only', () => {
  const modules = new Map([
    ['a', 'from millrace_worker import PROTOCOL, b'],
    ['b', 'def f():\n    from millrace_worker.rooms.c import g'],
    ['rooms', 'from .rooms import c'],
    ['rooms.c', 'from .e import h'],
    ['rooms.e', 'if TYPE_CHECKING:\n    import millrace_worker.a'],
    ['d', 'from millrace_worker import a'],
  ]);
  expect(circles(modules)).toEqual([['a', 'b', 'rooms.c', 'rooms.e']]);
});

test('no modules of the Python worker import each other in a circle', () => {
  const modules = workerModules();
  expect([...modules.keys()]).toEqual(
    expect.arrayContaining(['bridges', 'bridges.model', 'current', 'vertex_run']),
  );
  expect(importsOf('vertex_run', modules)).toContain('memory');
  expect(importsOf('seal', modules)).toContain('sealing.seccomp');
  expect(importsOf('sealing.seccomp', modules)).toContain('sealing.kernel');
  expect(circles(modules)).toEqual([]);
});

/** Returns the texts of the modules by their names within the package. */
function workerModules(): ReadonlyMap<string, string> {
  const folder = join(workerFolder(), PACKAGE);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.py'),
  );
  return new Map(
    files.map((file) => [
      file
        .replace(/\.py$/u, '')
        .replaceAll(/[\\/]/gu, '.')
        .replace(/\.__init__$/u, ''),
      readFileSync(join(folder, file), 'utf8'),
    ]),
  );
}

/** Returns the modules of the package that a module imports: all of them, wherever the import stands. */
function importsOf(name: string, modules: ReadonlyMap<string, string>): readonly string[] {
  const text = modules.get(name) ?? '';
  const statements = text.matchAll(
    /^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import[ \t]+(\([^)]*\)|.*)|import[ \t]+([\w.]+))/gmu,
  );
  const found = [...statements].flatMap(([, from, names = '', imported]) => {
    if (imported !== undefined) return [withinPackage(imported, name)];
    const module = withinPackage(from ?? '', name);
    const members = [...names.matchAll(/(?:^|[(,])\s*(\w+)/gmu)].map(([, member]) =>
      `${module}.${member}`.replace(/^\./u, ''),
    );
    return members.some((member) => modules.has(member)) ? members : [module];
  });
  return found.filter((other) => modules.has(other));
}

/** The same module: `millrace_worker.values`, `.values` in a module beside it, `values` in a program of the folder. */
function withinPackage(name: string, importer: string): string {
  if (!name.startsWith('.')) return name.replace(new RegExp(String.raw`^${PACKAGE}(?:\.|$)`, 'u'), '');
  const folder = importer.includes('.') ? importer.replace(/\.\w+$/u, '') : '';
  return [folder, name.slice(1)].filter((part) => part !== '').join('.');
}

/** Returns the groups of modules that reach each other. */
function circles(modules: ReadonlyMap<string, string>): readonly (readonly string[])[] {
  const reached = new Map([...modules.keys()].map((name) => [name, reachedFrom(name, modules)]));
  const groups = [...modules.keys()]
    .filter((name) => reached.get(name)?.has(name))
    .map((name) =>
      [...modules.keys()]
        .filter((other) => reached.get(name)?.has(other) && reached.get(other)?.has(name))
        .sort(),
    );
  return [...new Map(groups.map((group) => [group.join(), group])).values()];
}

function reachedFrom(name: string, modules: ReadonlyMap<string, string>): ReadonlySet<string> {
  const reached = new Set<string>();
  const waiting = [name];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const imported of importsOf(next, modules)) {
      if (!reached.has(imported)) waiting.push(imported);
      reached.add(imported);
    }
  }
  return reached;
}
