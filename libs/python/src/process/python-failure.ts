import { ComponentError, missingPackage } from '@millrace/flow';
import type { PythonObject } from '@millrace/python-text';
import { textOf } from '../frames/members';

/**
 * A component failed in Python. The message is the text of its exception, as for a native component; for a missing
 * module, it also names the package. Callers see the message only.
 */
export class PythonFailure extends ComponentError {
  /** The name of the exception's class. */
  readonly type: string;
  /** Python's traceback, for the owner of the flow. */
  readonly trace: string;
  /** The module that is not installed; null for any other failure. */
  readonly missingModule: string | null;

  constructor(failed: PythonObject) {
    const type = textOf(failed, 'type') || 'Exception';
    const missingModule = textOf(failed, 'module') || null;
    const hint = missingModule === null ? '' : remedy(missingModule);
    super((textOf(failed, 'text') || type) + hint, undefined, { kind: type });
    this.type = type;
    this.trace = textOf(failed, 'trace');
    this.missingModule = missingModule;
  }
}

function remedy(module: string): string {
  return (
    `\nThe module ${module} is not installed. Add the package ${missingPackage(module)} to the requirements of the ` +
    'Python environment: see docs/use/python.md.'
  );
}
