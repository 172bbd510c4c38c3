import type { AnnouncedPython } from '@millrace/dispatch';
import type { ExecutorPython } from './executor-python';

/** Returns what an executor announces about its Python; null without one, and while no process is ready. */
export function announcedPython(python: ExecutorPython | undefined): AnnouncedPython | null {
  const seal = python?.pool.state.seal ?? null;
  if (python === undefined || seal === null) return null;
  const { environment } = python;
  const { python: version, lfx, packageSet, components, modules } = environment;
  return { python: version, lfx, packageSet, components, modules, seal: seal.level };
}

/** Returns the part of an announcement that is shown for each worker. */
export function versionsOf({
  python,
  lfx,
  packageSet,
  seal,
}: AnnouncedPython): Pick<AnnouncedPython, 'python' | 'lfx' | 'packageSet' | 'seal'> {
  return { python, lfx, packageSet, seal };
}
