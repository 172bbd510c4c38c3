import { PythonFloat } from './python-float';
import { Data, DataFrame, Message } from './python-value';
import type { PythonValue } from './python-value';
import { isHandle } from './handle';
import type { Handle } from './handle';

const handleNames: Readonly<Record<Handle['kind'], string>> = {
  'language-model': 'LanguageModel',
  embeddings: 'Embeddings',
  part: 'object',
  retriever: 'VectorStoreRetriever',
  tool: 'Tool',
};

/**
 * Returns the name of a value's Python class as in error texts: `NoneType`, `str`, `int`, `dict`, `JSON`, `Table`, …
 */
export function typeName(value: PythonValue): string {
  if (value === null) return 'NoneType';
  if (typeof value === 'string') return 'str';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'bigint') return 'int';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'float';
  if (value instanceof PythonFloat) return 'float';
  if (Array.isArray(value)) return 'list';
  if (value instanceof Message) return 'Message';
  if (value instanceof Data) return 'JSON';
  if (value instanceof DataFrame) return 'Table';
  return isHandle(value) ? handleNames[value.kind] : 'dict';
}
