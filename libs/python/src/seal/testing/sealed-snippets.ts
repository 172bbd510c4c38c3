import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';

const WORKER = join(__dirname, '..', '..', '..', '..', '..', 'apps', 'python-worker');

export interface Snippet {
  readonly name: string;
  readonly code: string;
  readonly sealed: boolean;
  readonly options?: Readonly<Record<string, unknown>>;
}

export interface SnippetResult {
  readonly name: string;
  readonly seal?: {
    readonly level?: 'sealed' | 'partly' | 'open';
    /** The sentence of a refusal. */
    readonly refused?: string;
    readonly layers: Readonly<Record<string, true | number | string>>;
    readonly milliseconds?: number;
  };
  /** "returned <json>", "raised <type> <errno> <text>", "signal <name>", or how else the process ended. */
  readonly outcome: string;
}

export interface SnippetTask {
  readonly snippets: readonly Snippet[];
  readonly egressSocket?: string;
  /** System calls that the kernel refuses to all, as {name: errno}. */
  readonly refuse?: Readonly<Record<string, string>>;
  /** A command that starts the rest of its arguments, such as in another namespace. */
  readonly within?: readonly string[];
}

export interface Runner {
  /** "root" or "uid <number>". */
  readonly user: string;
  readonly uid: number;
  readonly python: string;
}

/** The users under which this process can start Python: its own, and as root an ordinary one, too. */
export function runners(): Runner[] {
  const own = process.getuid?.() ?? 0;
  return own === 0 ? [runner(0), runner(1000)] : [runner(own)];
}

function runner(uid: number): Runner {
  // A Python below the home of root is closed to others.
  const python = ['python3', '/usr/local/bin/python3', '/usr/bin/python3'].find(
    (path) => spawnSync(path, ['-I', '-c', 'import ctypes, ssl'], { uid, gid: uid, cwd: '/' }).status === 0,
  );
  if (python === undefined) throw new Error(`no Python 3 that uid ${uid} can start`);
  return { user: uid === 0 ? 'root' : `uid ${uid}`, uid, python };
}

/** A folder with copies of the worker and the packages that belongs to one user, and what runs there. */
export class SealedSnippets {
  readonly folder = mkdtempSync(join(tmpdir(), 'seal-'));
  readonly #runner: Runner;

  constructor(given: Runner) {
    this.#runner = given;
    cpSync(WORKER, join(this.folder, 'worker'), { recursive: true });
    for (const name of ['tmp', 'packages']) mkdirSync(join(this.folder, name));
    const module = join(this.folder, 'packages', 'module.py');
    writeFileSync(module, 'answer = 42\n');
    chmodSync(this.folder, 0o755);
    const { uid } = given;
    for (const path of [module, ...['tmp', 'packages'].map((name) => join(this.folder, name))])
      chownSync(path, uid, uid);
  }

  /** The layers that this machine lacks, as the seal names them; empty where it is complete. */
  missingLayers(): string {
    const snippet = { name: 'layers', code: 'return True', sealed: true, options: { required: true } };
    const { stdout, stderr } = spawnSync(...this.#command({ snippets: [snippet] }));
    const [result] = resultsOf(stdout.toString(), stderr.toString(), 1);
    return result?.seal?.refused ?? '';
  }

  async run(task: SnippetTask): Promise<SnippetResult[]> {
    const [command, words, { input, ...options }] = this.#command(task);
    const child = spawn(command, words, { ...options, stdio: ['pipe', 'pipe', 'pipe'] });
    child.stdin.end(input);
    const [output, errors] = await Promise.all([buffer(child.stdout), buffer(child.stderr)]);
    return resultsOf(output.toString(), errors.toString(), task.snippets.length);
  }

  #command({ snippets, egressSocket, refuse, within = [] }: SnippetTask) {
    const { uid, python } = this.#runner;
    const [command = '', ...words] = [
      ...within,
      python,
      '-I',
      join(this.folder, 'worker/tests/run_sealed.py'),
    ];
    const environment = {
      PATH: process.env['PATH'] ?? '',
      TMPDIR: join(this.folder, 'tmp'),
      MILLRACE_PLANTED: 'planted',
      PYTHONDONTWRITEBYTECODE: '1',
    };
    const input = JSON.stringify({
      cases: snippets,
      packages: join(this.folder, 'packages'),
      egress_socket: egressSocket ?? null,
      refuse: refuse ?? {},
    });
    return [command, words, { uid, gid: uid, cwd: '/', env: environment, input }] as const;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function resultsOf(output: string, errors: string, count: number): SnippetResult[] {
  const lines = output.split('\n').filter((line) => line !== '');
  if (lines.length !== count) throw new Error(`${lines.length} of ${count} results: ${errors.slice(-2000)}`);
  return lines.map(resultOf);
}

function resultOf(line: string): SnippetResult {
  const { outcome, ...rest } = JSON.parse(line) as SnippetResult & {
    outcome: Readonly<Record<string, unknown>>;
  };
  return { ...rest, outcome: textOf(outcome) };
}

function textOf(outcome: Readonly<Record<string, unknown>>): string {
  if ('returned' in outcome) return `returned ${JSON.stringify(outcome['returned'])}`;
  const { raised, errno, text } = outcome;
  if (raised !== undefined) return `raised ${String(raised)} ${String(errno ?? '')} ${String(text)}`;
  const [[kind, value] = ['nothing', '']] = Object.entries(outcome);
  return `${kind} ${String(value)}`;
}
