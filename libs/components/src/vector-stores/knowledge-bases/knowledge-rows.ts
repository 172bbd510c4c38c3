import { createHash } from 'node:crypto';
import { ComponentError, isDict } from '@millrace/flow';
import { parsePythonJson, storableText, str, tableRecords } from '@millrace/python-text';
import type { DataFrame, PythonObject, PythonValue } from '@millrace/python-text';
import { textMember } from '../../integrations/http/json-members';
import type { NewText } from '../../integrations/vector-stores/vector-store';

interface Columns {
  readonly vectorized: readonly string[];
  readonly identifiers: readonly string[];
}

/**
 * Returns the texts of a table's rows: the vectorized columns joined, the others as metadata texts, and a hash of the
 * row's identifying columns as `_id`. Throws when the configuration names a missing column.
 */
export function knowledgeRows(
  table: DataFrame,
  configuration: readonly PythonObject[],
  common: PythonObject,
): readonly NewText[] {
  const columns = columnsOf(table, configuration);
  return tableRecords(table).map((row) => {
    const text = joined(row, columns.vectorized);
    const identity = columns.identifiers.length === 0 ? text : joined(row, columns.identifiers);
    const hash = createHash('sha256').update(identity).digest('hex');
    const others = Object.entries(row).filter(
      ([name, value]) => !columns.vectorized.includes(name) && !isMissing(value),
    );
    const metadata = Object.fromEntries(
      others.map(([name, value]) => [storableText(name), storableText(str(value))]),
    );
    const source: PythonObject =
      Object.keys(common).length === 0 ? {} : { source_metadata: JSON.stringify(common) };
    return {
      id: hash,
      text: storableText(text),
      metadata: { ...metadata, ...source, _id: hash },
    };
  });
}

function columnsOf(table: DataFrame, configuration: readonly PythonObject[]): Columns {
  const named = configuration.map((row) => ({ ...row, name: textMember(row, 'column_name') }));
  for (const { name } of named) {
    if (!table.columns.includes(name)) {
      throw new ComponentError(
        `Column '${name}' not found in DataFrame. Available columns: ${table.columns.join(', ')}`,
      );
    }
  }
  const vectorized = named.filter((row) => isTrue(row, 'vectorize')).map(({ name }) => name);
  const identifiers = named
    .filter((row) => isTrue(row, 'identifier') && !isTrue(row, 'vectorize'))
    .map(({ name }) => name);
  return { vectorized, identifiers };
}

/** Tables contain switches as booleans or as texts. */
function isTrue(row: PythonObject, name: string): boolean {
  return row[name] === true || textMember(row, name) === 'True';
}

function joined(row: PythonObject, columns: readonly string[]): string {
  return columns
    .map((name) => row[name] ?? null)
    .filter((value) => !isMissing(value))
    .map(str)
    .join(' ');
}

function isMissing(value: PythonValue): boolean {
  return value === null || Number.isNaN(value);
}

/** Parses a text with a JSON object; empty for any other text. */
export function jsonObjectOf(text: string): PythonObject {
  try {
    const value = parsePythonJson(text.trim());
    return isDict(value) ? value : {};
  } catch {
    return {};
  }
}

/** Returns true when the common metadata of a text's source matches one of the given values for every given name. */
export function matchesSource(metadata: PythonObject, allowedValues: PythonObject): boolean {
  const source = jsonObjectOf(textMember(metadata, 'source_metadata'));
  return Object.entries(allowedValues).every(([name, values]) => {
    const actual = new Set(textsOf(source[name] ?? null));
    return textsOf(values).some((value) => actual.has(value));
  });
}

function textsOf(value: PythonValue): readonly string[] {
  if (value === null) return [];
  return Array.isArray(value) ? (value as readonly PythonValue[]).map(str) : [str(value)];
}
