import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '..', '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

test('docs/operate/security.md names tests that exist', () => {
  const named = [...read('docs/operate/security.md').matchAll(/`([\w./-]+\.ts)` “([^”]+)”/g)];
  expect(named.length).toBeGreaterThan(40);
  const missing = named.filter(([, file = '', name = '']) => !read(file).includes(name));
  expect(missing.map(([whole]) => whole)).toEqual([]);
});

test('CWE-78, CWE-94: no source starts a shell or evaluates text as code', () => {
  const sources = ['apps', 'libs', 'tests']
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((path) =>
        join(folder, path),
      ),
    )
    .filter(
      (path) => /\.ts$/.test(path) && !/node_modules|\.test\.ts$|[/\\]testing[/\\]|\.fixture\.ts$/.test(path),
    );
  expect(sources.length).toBeGreaterThan(500);
  const forbidden = /\beval\(|new Function\(|['"](?:node:)?vm['"]|shell:\s*true|\bexec(?:Sync)?\(\s*[`'"]/;
  expect(sources.filter((path) => forbidden.test(read(path)))).toEqual([]);
});

test('CWE-1357: dependencies are exact, locked and need no install scripts', () => {
  const { dependencies, devDependencies, optionalDependencies, scarfSettings } = JSON.parse(
    read('package.json'),
  ) as Record<string, Record<string, unknown>>;
  const bundled = ['apps/console', 'tools/build'].flatMap((folder) => {
    const workspace = JSON.parse(read(`${folder}/package.json`)) as Record<string, Record<string, unknown>>;
    return Object.entries(workspace['dependencies'] ?? {});
  });
  expect(bundled.length).toBeGreaterThan(5);
  const versions = [
    ...Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies }),
    ...bundled,
  ];
  expect(versions.filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(String(version)))).toEqual([]);
  const { packages } = JSON.parse(read('package-lock.json')) as {
    packages: Record<
      string,
      { integrity?: string; link?: boolean; inBundle?: boolean; dev?: boolean; hasInstallScript?: boolean }
    >;
  };
  const installed = Object.entries(packages).filter(([path]) => path.includes('node_modules/'));
  expect(installed.length).toBeGreaterThan(100);
  const unlocked = installed.filter(([, { integrity, link, inBundle }]) => !integrity && !link && !inBundle);
  expect(unlocked.map(([path]) => path)).toEqual([]);
  const scripted = installed.filter(([, { hasInstallScript, dev }]) => hasInstallScript && !dev);
  // `npm start` and the images run no script. Of these, the first makes the start of esbuild's command faster, which nothing uses;
  // the second prints a notice about its version.
  expect(scripted.map(([path]) => path)).toEqual(['node_modules/esbuild', 'node_modules/protobufjs']);
  expect(scarfSettings).toEqual({ enabled: false });
});
