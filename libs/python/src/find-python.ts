import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);
const checkMilliseconds = 20_000;

/** The oldest Python that lfx supports. */
const minimumVersion = [3, 10] as const;

const question =
  'import importlib.metadata as m, platform, sys; ' +
  'print(platform.python_version(), next((d.version for d in m.distributions(name="lfx")), ""))';

export type FoundPython =
  | { readonly path: string; readonly version: string; readonly lfx: string }
  | { readonly path: string; readonly reason: string };

/** Asks an interpreter for its version and for lfx's. Resolves to the reason when it cannot run components. */
export async function findPython(path: string): Promise<FoundPython> {
  let answer: string;
  try {
    const { stdout } = await run(path, ['-s', '-E', '-c', question], {
      timeout: checkMilliseconds,
      env: {},
    });
    answer = stdout.trim();
  } catch (error) {
    return { path, reason: `${path} cannot be run: ${error instanceof Error ? error.message : 'unknown'}` };
  }
  const [version = '', lfx = ''] = answer.split(' ');
  if (!isSupported(version)) {
    return { path, reason: `${path} is Python ${version}; ${minimumVersion.join('.')} or newer is needed.` };
  }
  if (lfx === '') return { path, reason: `The environment of ${path} does not contain lfx.` };
  return { path, version, lfx };
}

function isSupported(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > minimumVersion[0] || (major === minimumVersion[0] && minor >= minimumVersion[1]);
}
