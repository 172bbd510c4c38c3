import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';

const sources = join(__dirname, '..');
/** A variable, because Nx takes a literal in `require.resolve` for a lazy import of the library. */
const SERVICE: string = '@millrace/service';
const packages = join(sources, '..', '..', '..', 'node_modules');

export interface DatabaseProgram {
  readonly pid: number;
  /** Lines of standard output up to now. */
  readonly lines: readonly string[];
  /** Resolves when this number of lines was written. */
  written(count: number): Promise<void>;
  kill(): void;
  readonly ended: Promise<void>;
}

/**
 * Bundles a program with this library as a service is bundled, with its worker file and migrations next to it, and runs
 * it in a separate process.
 */
export function startDatabaseProgram(source: string, argument: string): DatabaseProgram {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-program-'));
  const esbuild = join(dirname(require.resolve('esbuild/package.json')), 'bin', 'esbuild');
  const options = ['--bundle', '--platform=node', '--format=cjs', '--packages=external', '--loader=ts'];
  // Packages stay external; workspace code is bundled, as in a service.
  options.push(`--alias:${SERVICE}=${require.resolve(SERVICE)}`);
  execFileSync(esbuild, [...options, `--outfile=${join(directory, 'main.cjs')}`, '--log-level=error'], {
    cwd: sources,
    input: `import * as database from './index';\n${silentLogger}\n${source}`,
  });
  cpSync(join(sources, 'embedded', 'pglite-worker.cjs'), join(directory, 'pglite-worker.cjs'));
  cpSync(join(sources, '..', 'migrations'), join(directory, 'migrations'), { recursive: true });
  const child = spawn(process.execPath, [join(directory, 'main.cjs'), argument], {
    env: { PATH: process.env['PATH'], NODE_PATH: packages },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  const output = createInterface(child.stdout).on('line', (line) => lines.push(line));
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => {
      rmSync(directory, { recursive: true, force: true });
      resolve();
    });
  });
  return {
    pid: child.pid ?? 0,
    lines,
    written: (count) =>
      new Promise((resolve, reject) => {
        const check = () => {
          if (lines.length >= count) resolve();
        };
        output.on('line', check);
        void ended.then(() => {
          reject(new Error(`ended after ${lines.length} lines`));
        });
        check();
      }),
    kill: () => void child.kill('SIGKILL'),
    ended,
  };
}

const silentLogger = `
  const nothing = () => {};
  const logger = { level: 'silent', debug: nothing, info: nothing, warn: nothing, error: nothing, fatal: nothing, child: () => logger };`;
