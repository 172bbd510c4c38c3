import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(__dirname, '..', '..', '..', '..');
const PRINTED_URL = 'http://127.0.0.1:7860';
const LIMIT_MILLISECONDS = 60_000;

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
export async function runCommands(commands: string, system: { url: string; key: string }): Promise<string> {
  const { stdout } = await execute('sh', ['-c', commands.replaceAll(PRINTED_URL, system.url)], {
    cwd: ROOT,
    env: { ...process.env, MILLRACE_API_KEY: system.key },
    timeout: LIMIT_MILLISECONDS,
  });
  return stdout;
}
