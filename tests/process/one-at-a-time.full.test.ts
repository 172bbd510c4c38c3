import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..');
const folder = mkdtempSync(join(tmpdir(), 'millrace-one-at-a-time-'));
const lock = join(folder, '.node', 'npm ci.lock');
const log = join(folder, 'log');

/** A command that needs the lock and logs when it begins and when it ends. */
const tools = join(folder, 'tools', 'workspace');
const program = join(tools, 'program.mjs');
for (const path of ['tools/workspace', 'libs/service/src/process/running-process.cjs'])
  cpSync(join(ROOT, path), join(folder, path), { recursive: true });
writeFileSync(
  program,
  `import { appendFileSync } from 'node:fs';
   import { oneAtATime } from './one-at-a-time.mjs';
   oneAtATime('npm ci', console.error, () => {
     appendFileSync('log', 'begin\\n');
     Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
     appendFileSync('log', 'end\\n');
   });`,
);
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(() => writeFileSync(log, ''));

async function run() {
  const child = spawn(process.execPath, [program], { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  let faults = '';
  child.stderr.on('data', (chunk: Buffer) => (faults += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, faults };
}

test('a command waits while another process runs the same command', async () => {
  const results = await Promise.all([run(), run(), run()]);
  expect(results.map(({ code }) => code)).toEqual([0, 0, 0]);
  expect(readFileSync(log, 'utf8')).toBe('begin\nend\n'.repeat(3));
  expect(results.map(({ faults }) => faults).join('')).toMatch(
    /^Waiting for process \d+, which runs the same step: npm ci$/m,
  );
}, 60_000);

test('the lock of a process that has ended is taken over', async () => {
  const { pid } = spawnSync(process.execPath, ['--version']);
  mkdirSync(join(folder, '.node'), { recursive: true });
  writeFileSync(lock, String(pid));
  expect(await run()).toEqual({ code: 0, faults: '' });
  expect(readFileSync(log, 'utf8')).toBe('begin\nend\n');
}, 60_000);
