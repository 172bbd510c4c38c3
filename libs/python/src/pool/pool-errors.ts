import { MillraceError } from '@millrace/flow';

/** No process was free, or the process of a run ended. Unless it is permanent, another attempt can succeed. */
export class PythonUnavailableError extends MillraceError {
  constructor(message: string, options: { readonly permanent?: boolean; readonly cause?: unknown } = {}) {
    super('component_failed', message, { permanent: false, ...options });
  }
}

/** Returns the error of a pool that does not run authors' code on this machine. */
export function refused(message: string): MillraceError {
  return new MillraceError('component_failed', message, { permanent: true });
}
