import { execFile } from 'node:child_process';
import type { ExecFileException } from 'node:child_process';
import { access, open } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DESCRIPTION_FILE, environmentStamp } from './environment-stamp.cjs';
import { maximumDescriptionBytes, parseDescription } from './parse-description';
import type { Description } from './parse-description';
import { unfitness } from './python-environment';
import type { FoundEnvironment } from './python-environment';

const run = promisify(execFile);
const defaultDeadlineMilliseconds = 20_000;
const maximumReasonCharacters = 300;

export interface ReadOptions {
  /** The folder that contains the package `millrace_worker`. */
  readonly workerFolder: string;
  /** How long the interpreter has to describe itself. */
  readonly deadlineMilliseconds?: number;
}

/**
 * Reads which Python, which lfx, which components and which packages a folder has: from its `environment.json`, or from
 * its interpreter when that file is missing or older than the packages. Resolves to a reason when Python vertices cannot
 * run there.
 */
export async function readPythonEnvironment(folder: string, options: ReadOptions): Promise<FoundEnvironment> {
  const interpreter = join(folder, 'bin', 'python');
  if (!(await exists(interpreter))) {
    return {
      reason: `There is no Python environment in ${folder}. \`npm run python-environment -- --folder ${folder}\` builds one.`,
    };
  }
  const found = (await readDescriptionFile(folder)) ?? (await askInterpreter(interpreter, options));
  if ('reason' in found) return found;
  const { python, lfx, packageSet, components, modules } = found;
  const environment = { folder, interpreter, python, lfx, packageSet, components, modules };
  const reason = unfitness(environment);
  return reason === null ? environment : { reason };
}

/** Resolves to what `environment.json` says; null when it is missing, unreadable or older than the packages. */
async function readDescriptionFile(folder: string): Promise<Description | null> {
  try {
    const description = parseDescription(await readBounded(join(folder, DESCRIPTION_FILE)));
    return description?.stamp === environmentStamp(folder) ? description : null;
  } catch {
    return null;
  }
}

async function readBounded(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    return size > maximumDescriptionBytes ? '' : await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

async function askInterpreter(
  interpreter: string,
  { workerFolder, deadlineMilliseconds = defaultDeadlineMilliseconds }: ReadOptions,
): Promise<Description | { readonly reason: string }> {
  const program = join(workerFolder, 'millrace_worker', 'environment.py');
  try {
    const { stdout } = await run(interpreter, ['-I', '-B', program], {
      timeout: deadlineMilliseconds,
      killSignal: 'SIGKILL',
      maxBuffer: maximumDescriptionBytes,
      env: {},
    });
    return parseDescription(stdout) ?? { reason: `${interpreter} did not describe its environment.` };
  } catch (error) {
    return { reason: `${interpreter} cannot be run: ${failureText(error, deadlineMilliseconds)}.` };
  }
}

function failureText(error: unknown, deadlineMilliseconds: number): string {
  const { killed, stderr, code } = error as ExecFileException;
  if (code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') return 'its answer is too long';
  if (killed === true) return `no answer within ${deadlineMilliseconds} ms`;
  // The message of the error repeats the command.
  const lastLine = stderr?.trim().split('\n').at(-1) ?? '';
  return (lastLine || `exit status ${String(code)}`).slice(0, maximumReasonCharacters);
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
