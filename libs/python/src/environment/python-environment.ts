import type { PythonEnvironment } from '@millrace/flow';

/** A folder with a Python interpreter and the packages that flows can import there. */
export interface InstalledEnvironment extends PythonEnvironment {
  readonly folder: string;
  /** The name of the lock file that it was built from. */
  readonly packageSet: string;
  /** The path of the interpreter. */
  readonly interpreter: string;
}

/** An environment, or the reason why Python vertices cannot run in it, as sentences for an operator. */
export type FoundEnvironment = InstalledEnvironment | { readonly reason: string };

/** The version of lfx that the worker works with. */
export const requiredLfx = '1.13.0';

/** The oldest Python that lfx supports. */
const minimumPython = [3, 10] as const;

/** Returns why Python vertices cannot run in an environment; null when they can. */
export function unfitness({
  folder,
  interpreter,
  python,
  lfx,
}: Pick<InstalledEnvironment, 'folder' | 'interpreter' | 'python' | 'lfx'>): string | null {
  if (!isSupported(python))
    return `${interpreter} is Python ${python}; ${minimumPython.join('.')} or newer is needed.`;
  if (lfx === requiredLfx) return null;
  const state = lfx === '' ? 'does not contain lfx' : `contains lfx ${lfx}; ${requiredLfx} is needed`;
  return `The Python environment ${folder} ${state}. \`npm run python-environment -- --folder ${folder}\` builds it.`;
}

function isSupported(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > minimumPython[0] || (major === minimumPython[0] && minor >= minimumPython[1]);
}
