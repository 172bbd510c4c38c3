import { MillraceError } from '@millrace/flow';

/** Returns an error that is not the flow's fault: another attempt can succeed. */
export function unavailable(message: string): MillraceError {
  return new MillraceError('component_failed', message, { permanent: false });
}

/** Returns the error of a pool that does not run authors' code on this machine. */
export function refused(message: string): MillraceError {
  return new MillraceError('component_failed', message, { permanent: true });
}
