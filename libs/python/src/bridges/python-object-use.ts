import type { ComponentContext } from '@millrace/flow';
import type { PythonObject, PythonValue } from '@millrace/python-text';

/** Calls methods of one object of a Python process. */
export interface PythonObjectUse {
  /**
   * Resolves to the answer. The context is the caller's; null for an object that is used on behalf of the component
   * that made it. Rejects with a PythonFailure, and with a ComponentError when the process has ended.
   */
  call(method: string, args: PythonObject, context: ComponentContext | null): Promise<PythonValue>;
  /** Yields the parts of an answer and returns the answer. */
  stream(
    method: string,
    args: PythonObject,
    context: ComponentContext | null,
  ): AsyncGenerator<PythonValue, PythonValue, undefined>;
}
