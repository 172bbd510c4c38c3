/** What an interpreter prints about itself, and the file `environment.json` contains. */
export interface Description {
  readonly python: string;
  readonly lfx: string;
  /** The name of the lock file that the environment was built from; `unknown` without `environment.json`. */
  readonly packageSet: string;
  readonly components: ReadonlyMap<string, string>;
  readonly modules: ReadonlySet<string>;
  /** The stamp of the environment when the file was written; empty when an interpreter printed the text. */
  readonly stamp: string;
}

export const maximumDescriptionBytes = 4 * 1024 * 1024;

const versionPattern = /^\d{1,3}(?:\.\w{1,12}){1,4}\+?$/;
const componentPattern = /^lfx[a-z0-9_]*(?:\.\w+)+$/;

/** Reads a description; null when the text is something else. */
export function parseDescription(text: string): Description | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof parsed !== 'object' || parsed === null) return null;
  const { python, lfx, packageSet, components, modules, stamp } = parsed as Record<string, unknown>;
  if (typeof python !== 'string' || !versionPattern.test(python) || typeof lfx !== 'string') return null;
  if (typeof components !== 'object' || components === null || !Array.isArray(modules)) return null;
  const paths = Object.entries(components);
  if (!paths.every(([, path]) => typeof path === 'string' && componentPattern.test(path))) return null;
  if (!modules.every((name) => typeof name === 'string')) return null;
  return {
    python,
    lfx,
    packageSet: typeof packageSet === 'string' ? packageSet : 'unknown',
    components: new Map(paths),
    modules: new Set(modules),
    stamp: typeof stamp === 'string' ? stamp : '',
  };
}
