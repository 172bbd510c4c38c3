import { parsePythonJson, Data, DataFrame } from '@millrace/python-text';
import type { PythonObject, PythonValue } from '@millrace/python-text';
import { ComponentError } from '../../errors';
import type { Input } from '../input';
import { classText } from './class-text';
import type { InputOptions } from './input-options';
import { commonInputMembers } from './input-options';
import { isDict } from './python-dict';

export interface TableOptions extends InputOptions {
  readonly default?: readonly PythonObject[];
}

/** Rows of a small table that the author filled in, or the rows of a connected DataFrame. */
export function table(options: TableOptions = {}): Input<readonly PythonObject[]> {
  const fallback = options.default ?? [];
  return {
    ...commonInputMembers(options),
    kind: 'Table',
    inputTypes: options.inputTypes ?? ['DataFrame', 'Table'],
    default: fallback,
    convert: (value, inputName) => {
      if (value === null || value === '') return fallback;
      return rowsOf(value) ?? refuse(value, inputName);
    },
  };
}

function rowsOf(value: PythonValue): readonly PythonObject[] | null {
  if (value instanceof DataFrame) return value.rows;
  if (value instanceof Data) return [value.data];
  if (typeof value === 'string') return rowsOfJson(value);
  if (!Array.isArray(value)) return isDict(value) ? [value] : null;
  const items: readonly PythonValue[] = value;
  const rows = items.map((item) => (item instanceof Data ? item.data : item));
  return rows.every((row) => isDict(row)) ? rows : null;
}

function rowsOfJson(text: string): readonly PythonObject[] | null {
  try {
    const value = parsePythonJson(text);
    return typeof value === 'string' ? null : rowsOf(value);
  } catch {
    return null;
  }
}

function refuse(value: PythonValue, inputName: string): never {
  throw new ComponentError(`Invalid value type ${classText(value)} for table field ${inputName}`);
}
