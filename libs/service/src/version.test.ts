import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { version } from './version.cjs';

const root = join(__dirname, '..', '..', '..');
const packageOf = (...folder: string[]) =>
  JSON.parse(readFileSync(join(root, ...folder, 'package.json'), 'utf8')) as { version?: string };

test('is that of the workspace, and the lock file has the same', () => {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as { version: string };
  expect([version, lock.version]).toEqual([packageOf().version, packageOf().version]);
  expect(version).toMatch(/^\d+\.\d+\.\d+/);
});

test('no project states a version of its own', () => {
  const within = ['apps', 'libs', 'tests'].flatMap((folder) =>
    readdirSync(join(root, folder)).map((name) => [folder, name]),
  );
  const projects = [['tests'], ...within].filter((path) => existsSync(join(root, ...path, 'package.json')));
  expect(projects.filter((path) => packageOf(...path).version !== undefined)).toEqual([]);
});
