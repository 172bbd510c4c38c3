import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';

const sources = join(__dirname, '..');
const workspace = join(sources, '..', '..', '..');

export interface Program {
  /** Resolves with the first line of standard output that contains the text. */
  line(text: string): Promise<string>;
  signal(name: NodeJS.Signals): void;
  /** Resolves when the process has ended, with its complete output. */
  readonly ended: Promise<{ readonly code: number | null; readonly output: string; readonly faults: string }>;
}

/** Bundles a TypeScript program as a service is bundled (CommonJS, packages external) and runs it; `service` is this library. */
export function startProgram(source: string, environment: NodeJS.ProcessEnv = {}): Program {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-program-'));
  const bundle = join(directory, 'main.cjs');
  const esbuild = join(dirname(require.resolve('esbuild/package.json')), 'bin', 'esbuild');
  const options = ['--bundle', '--platform=node', '--format=cjs', '--packages=external', '--loader=ts'];
  execFileSync(esbuild, [...options, `--outfile=${bundle}`, '--log-level=error'], {
    cwd: sources,
    input: `import * as service from './index';\n${source}`,
  });
  const worker = 'watchdog-worker.cjs';
  cpSync(join(sources, 'process', worker), join(directory, worker));
  const modules = [join(workspace, 'node_modules'), process.env['NODE_PATH'] ?? ''].join(delimiter);
  const child = spawn(process.execPath, [bundle], {
    env: { ...compileCache(), PATH: process.env['PATH'], NODE_PATH: modules, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });

  const lines: string[] = [];
  const waiting: { text: string; resolve: (line: string) => void }[] = [];
  createInterface(child.stdout).on('line', (line) => {
    lines.push(line);
    for (const waiter of waiting) if (line.includes(waiter.text)) waiter.resolve(line);
  });
  let faults = '';
  child.stderr.on('data', (chunk: Buffer) => (faults += chunk.toString()));

  return {
    line: (text) =>
      new Promise((resolve, reject) => {
        const seen = lines.find((line) => line.includes(text));
        if (seen !== undefined) return resolve(seen);
        waiting.push({ text, resolve });
        child.once('close', () =>
          reject(new Error(`ended without "${text}":\n${lines.join('\n')}\n${faults}`)),
        );
      }),
    signal: (name) => void child.kill(name),
    ended: new Promise((resolve) => {
      child.once('close', (code) => {
        rmSync(directory, { recursive: true, force: true });
        resolve({ code, output: lines.join('\n'), faults });
      });
    }),
  };
}

/** With the compile cache of `npm test`, the program's packages are not compiled again. */
function compileCache(): NodeJS.ProcessEnv {
  const folder = process.env['NODE_COMPILE_CACHE'];
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: folder };
}
