import { isDict } from '@millrace/flow';
import type { PythonObject, PythonValue } from '@millrace/python-text';

/** The value that stands for "no such filter" in a list of one, and that no document has. */
const impossible = '__IMPOSSIBLE_VALUE__';

const fieldNames: Readonly<Record<string, string>> = {
  data_sources: 'filename',
  document_types: 'mimetype',
  owners: 'owner',
};

/**
 * Returns the clauses for the search filters of a node: `term` and `terms` clauses under `filter`, else lists of values
 * by field.
 */
export function filterClauses(filter: PythonObject): readonly PythonObject[] {
  const explicit = filter['filter'];
  if (explicit !== undefined) return listed(explicit).filter((item) => isClause(item)) as PythonObject[];
  return Object.entries(filter).flatMap(([name, values]): readonly PythonObject[] => {
    if (!Array.isArray(values)) return [];
    const field = fieldNames[name] ?? name;
    const [first = null, ...others] = values as readonly PythonValue[];
    if (values.length === 0) return [{ term: { [field]: impossible } }];
    if (others.length > 0) return [{ terms: { [field]: values as readonly PythonValue[] } }];
    return first === impossible ? [] : [{ term: { [field]: first } }];
  });
}

function listed(value: PythonValue): readonly PythonValue[] {
  return Array.isArray(value) ? (value as readonly PythonValue[]) : [value];
}

function isClause(item: PythonValue): boolean {
  if (!isDict(item)) return false;
  const { term, terms } = item;
  if (term !== undefined && isDict(term)) return !Object.values(term).includes(impossible);
  if (terms === undefined || !isDict(terms)) return false;
  const [values] = Object.values(terms);
  return Array.isArray(values) && values.length > 0;
}
