import { ComponentError, isDict } from '@millrace/flow';
import type { PythonObject, PythonValue } from '@millrace/python-text';
import { evaluateQuery } from '../../parsing/json-query/evaluate-query';
import { parseQuery } from '../../parsing/json-query/parse-query';
import { QueryError } from '../../parsing/json-query/query-error';

/**
 * Evaluates a jq expression on an object. An object is returned unchanged, any other value under `result`, several
 * values as a list. Throws a ComponentError.
 */
export function queryData(item: PythonObject, query: string): PythonObject {
  try {
    return asObject(resultOf(item, query));
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    throw new ComponentError(`JSON Query error: ${error.message}`, error);
  }
}

/** Returns the value at a path such as `.a.b[0]`, in the form of `queryData`; a bad path returns its error as data. */
export function selectPath(item: PythonObject, path: string): PythonObject {
  try {
    return asObject(evaluateQuery(parseQuery(path.trim()), item)[0] ?? null);
  } catch (error) {
    if (error instanceof QueryError) return { error: error.message };
    throw error;
  }
}

function resultOf(item: PythonObject, query: string): PythonValue {
  if (query.trim() === '') throw new QueryError('JSON Query is required and cannot be blank.');
  const results = evaluateQuery(parseQuery(query), item);
  const [first] = results;
  if (first === undefined) throw new QueryError('No result from JSON query.');
  const result = results.length === 1 ? first : results;
  if (result === null) throw new QueryError('JSON query returned null value.');
  return result;
}

function asObject(value: PythonValue): PythonObject {
  return isDict(value) ? value : { result: value };
}
