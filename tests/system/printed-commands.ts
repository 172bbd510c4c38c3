import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(__dirname, '..', '..');
/** The address in the documentation. */
export const PRINTED_URL = 'http://127.0.0.1:7860';
const LIMIT_MILLISECONDS = 600_000;

const execute = promisify(execFile);

/** Returns the commands of an example flow in examples/README.md. Throws when there are none. */
export function printedCommands(endpoint: string): string {
  const sections = readFileSync(join(ROOT, 'examples', 'README.md'), 'utf8').split('\n## ');
  const section = sections.find((text) => (text.split('\n', 1)[0] ?? '').includes(`\`${endpoint}\``));
  const commands = /```sh\n(.*?)```/s.exec(section ?? '')?.[1];
  if (commands === undefined) throw new Error(`examples/README.md has no commands for ${endpoint}`);
  return commands;
}

/**
 * Runs commands of examples/README.md in the root of the repository, with the address of a running system in place of
 * the printed one; resolves to their output. Rejects when the last one fails.
 */
export function runCommands(commands: string, system: RunningSystem): Promise<string> {
  return runPrinted(['sh', '-c'], commands, system);
}

export interface RunningSystem {
  readonly url: string;
  readonly key: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** Runs a printed program as `runCommands` does, by an interpreter that takes its text as the last word. */
export async function runPrinted(
  [file, ...words]: readonly [string, ...string[]],
  program: string,
  { url, key, environment }: RunningSystem,
): Promise<string> {
  const { stdout } = await execute(file, [...words, program.replaceAll(PRINTED_URL, url)], {
    cwd: ROOT,
    env: { ...process.env, MILLRACE_API_KEY: key, ...environment },
    timeout: LIMIT_MILLISECONDS,
  });
  return stdout;
}
