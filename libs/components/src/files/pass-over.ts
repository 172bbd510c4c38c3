import { ComponentError } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';

/** Tells what is wrong with one of several files: in the log when errors are silent, else as an error with its path. */
export function passOver(context: ComponentContext, path: string, error: unknown, isSilent: boolean): void {
  context.signal.throwIfAborted();
  if (!(error instanceof ComponentError)) throw error;
  const problem = `Error loading file ${path}: ${error.message}`;
  if (!isSilent) throw new ComponentError(problem, error);
  context.log(problem);
}
