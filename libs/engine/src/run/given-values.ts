import type { PythonValue } from '@millrace/python-text';

/** The values of one vertex in one run. */
export interface VertexValues {
  readonly inputs: Readonly<Record<string, unknown>>;
  /** Values before conversion, including fields that the component does not declare. */
  readonly fields: () => Readonly<Record<string, PythonValue>>;
}
