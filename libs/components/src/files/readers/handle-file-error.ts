import { ComponentError } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';

/** Reports an error of one of several files: in the log if errors are silent, otherwise as an error with the path. */
export function handleFileError(
  context: ComponentContext,
  path: string,
  error: unknown,
  isSilent: boolean,
): void {
  context.signal.throwIfAborted();
  if (!(error instanceof ComponentError)) throw error;
  const problem = `Error loading file ${path}: ${error.message}`;
  if (!isSilent) throw new ComponentError(problem, error);
  context.log(problem);
}
