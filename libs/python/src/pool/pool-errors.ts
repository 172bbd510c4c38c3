import { MillraceError } from '@millrace/flow';

/** The process of a run ended. Unless it is permanent, another attempt can succeed. */
export class PythonEndedError extends MillraceError {
  constructor(message: string, options: { readonly permanent?: boolean; readonly cause?: unknown } = {}) {
    super('component_failed', message, { permanent: false, ...options });
  }
}

/** No process was free in time. The flow did not cause it: another attempt can succeed. */
export class PythonBusyError extends MillraceError {
  constructor(message: string) {
    super('python_busy', message, { permanent: false });
  }
}

/** Returns the error of a pool that does not run authors' code on this machine. */
export function refused(message: string): MillraceError {
  return new MillraceError('component_failed', message, { permanent: true });
}
