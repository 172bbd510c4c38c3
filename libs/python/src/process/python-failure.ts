import { ComponentError } from '@millrace/flow';
import type { PythonObject } from '@millrace/python-text';
import { textOf } from '../frames/members';

/** A component failed in Python; the message is the text of its exception. */
export class PythonFailure extends ComponentError {
  /** The name of the exception's class. */
  readonly type: string;
  /** Python's traceback, for the owner of the flow. */
  readonly trace: string;
  /** The module that is not installed; null for any other failure. */
  readonly missingModule: string | null;

  constructor(failed: PythonObject) {
    const type = textOf(failed, 'type') || 'Exception';
    super(textOf(failed, 'text') || type);
    this.type = type;
    this.trace = textOf(failed, 'trace');
    this.missingModule = textOf(failed, 'module') || null;
  }
}
