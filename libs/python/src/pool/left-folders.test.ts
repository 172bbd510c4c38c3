import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '@millrace/service/testing';
import { fakePython } from '../testing/fake-python.fixture';
import { openTestPool } from '../testing/test-pool.fixture';
import { PoolFolder } from './pool-folder';

const fake = fakePython();
let parent: string;
beforeEach(() => (parent = mkdtempSync(join(tmpdir(), 'left-'))));
afterEach(() => rmSync(parent, { recursive: true, force: true }));
afterAll(() => fake.remove());

interface Note {
  readonly place: string;
  readonly pid: number;
  readonly started: string;
}

/** Makes the folder of a pool of this process, and changes its note. */
async function folderOf(change: (note: Note) => object | string = (note) => note): Promise<string> {
  const { path } = await PoolFolder.make(parent);
  const file = join(path, 'owner.json');
  const note = change(JSON.parse(readFileSync(file, 'utf8')) as Note);
  writeFileSync(file, typeof note === 'string' ? note : JSON.stringify(note));
  return path;
}

async function endedPid(): Promise<number> {
  const child = spawn('true');
  await once(child, 'exit');
  return child.pid ?? 0;
}

test('a pool removes the folder of a process that has ended', async () => {
  const pid = await endedPid();
  const left = await folderOf((note) => ({ ...note, pid }));
  writeFileSync(join(left, 'file'), 'text');
  const pool = await openTestPool(fake.path, { folder: parent });
  try {
    await until(() => !existsSync(left), 'the folder is removed', 30_000);
    expect(readdirSync(parent)).toHaveLength(1);
  } finally {
    await pool.close();
  }
});

test('a folder whose process id belongs to a later process is removed', async () => {
  const left = await folderOf((note) => ({ ...note, started: '1' }));
  expect(await PoolFolder.removeLeft(parent)).toEqual({ removed: [left], failed: [] });
  expect(existsSync(left)).toBe(false);
});

test.each<[string, (note: Note, ended: number) => object | string]>([
  ['of a live process', (note) => note],
  ['of another container', (note, pid) => ({ ...note, pid, place: note.place.replace(/\d+\]$/, '1]') })],
  ['of another machine', (note, pid) => ({ ...note, pid, place: note.place.replace(/^\S+/, 'other') })],
  ['with half a note', (note, pid) => JSON.stringify({ ...note, pid }).slice(0, -4)],
  ['with a note of another form', (note) => ({ ...note, pid: -1 })],
  ['with a note without an end', (note, pid) => ({ ...note, pid, more: 'x'.repeat(2_000) })],
])('a folder %s stays', async (_, change) => {
  const ended = await endedPid();
  const folder = await folderOf((note) => change(note, ended));
  expect(await PoolFolder.removeLeft(parent)).toEqual({ removed: [], failed: [] });
  expect(existsSync(folder)).toBe(true);
});

test('a folder without a note, a link to a left folder and a folder of another name stay', async () => {
  const pid = await endedPid();
  const unmarked = await folderOf();
  rmSync(join(unmarked, 'owner.json'));
  const elsewhere = await folderOf((note) => ({ ...note, pid }));
  const renamed = join(parent, 'another');
  spawnSync('mv', [elsewhere, renamed]);
  const link = join(parent, 'millrace-python-aaaaaa');
  symlinkSync(renamed, link);
  expect(await PoolFolder.removeLeft(parent)).toEqual({ removed: [], failed: [] });
  expect([unmarked, renamed, link].map((path) => existsSync(path))).toEqual([true, true, true]);
});

test('the folder of a killed process is removed, with the scratch folders of its Python processes', async () => {
  const { path } = await PoolFolder.make(parent);
  const noted = readFileSync(join(path, 'owner.json'), 'utf8');
  const owner = spawn('sleep', ['1000']);
  try {
    const stat = readFileSync(`/proc/${owner.pid}/stat`, 'utf8');
    const started = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
    writeFileSync(
      join(path, 'owner.json'),
      JSON.stringify({ ...JSON.parse(noted), pid: owner.pid, started }),
    );
    expect((await PoolFolder.removeLeft(parent)).removed).toEqual([]);
  } finally {
    owner.kill('SIGKILL');
    await once(owner, 'exit');
  }
  expect((await PoolFolder.removeLeft(parent)).removed).toEqual([path]);
});
