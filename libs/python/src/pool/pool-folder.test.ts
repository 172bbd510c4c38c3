import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PoolFolder, removeTree } from './pool-folder';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'tree-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('the socket files of a pool are in a folder of its user alone', async () => {
  const own = await PoolFolder.make(folder);
  const scratch = await own.makeScratch('name');
  const modes = spawnSync('stat', ['-c', '%a', join(own.socket('x'), '..'), scratch]).stdout.toString();
  expect(modes).toBe('700\n700\n');
  await own.remove();
  expect(existsSync(own.path)).toBe(false);
});

test('a tree that its owner closed is removed, and what it links to is not', async () => {
  const outside = join(folder, 'outside');
  writeFileSync(outside, 'kept', { mode: 0o600 });
  const tree = join(folder, 'tree');
  const closed = join(tree, 'closed');
  mkdirSync(join(closed, 'inner'), { recursive: true });
  symlinkSync(outside, join(closed, 'link'));
  chmodSync(closed, 0);
  await removeTree(tree);
  expect(existsSync(tree)).toBe(false);
  expect(readFileSync(outside, 'utf8')).toBe('kept');
});

test('a tree whose paths are longer than the system allows is removed', async () => {
  const tree = join(folder, 'tree');
  mkdirSync(tree);
  // Each folder is reached from the one before, as by an author's code.
  const deeper =
    'name=$(printf "%0200d" 1); for i in $(seq 60); do mkdir $name && cd -P $name || exit 1; done';
  expect(spawnSync('sh', ['-c', deeper], { cwd: tree }).status).toBe(0);
  await removeTree(tree);
  expect(existsSync(tree)).toBe(false);
});
