import { classText, ComponentError, isDict } from '@millrace/flow';
import { Data, DataFrame, Message, messageData, missingKey, tableRows } from '@millrace/python-text';
import type { ParsedFormat, PythonObject, PythonValue } from '@millrace/python-text';

/** A long pattern is in the text of every item. */
const maximumCharacters = 50_000_000;

/**
 * Fills in a pattern once for each item of the input: for rows of a table, where an unknown column is an error, or for
 * data, where a missing key is empty. Throws a ComponentError for an input of another kind.
 */
export function formatItems(pattern: ParsedFormat, input: PythonValue): readonly string[] {
  if (input instanceof DataFrame) return formatRows(pattern, input);
  const items = dataItems(input);
  if (items === null) {
    throw new ComponentError(
      `Unsupported input type: ${classText(input)}. Expected DataFrame, Data, or list[Data].`,
    );
  }
  return formatted(items, ({ values, fallback }) =>
    pattern.format((name) => (Object.hasOwn(values, name) ? (values[name] ?? null) : fallback)),
  );
}

/** Fills in a pattern for the rows of a table, as `format(**row)` does. */
export function formatRows(pattern: ParsedFormat, table: DataFrame): readonly string[] {
  return formatted(tableRows(table), (row) =>
    pattern.format(
      (name) => {
        const value = Object.hasOwn(row, name) ? row[name] : undefined;
        if (value === undefined) throw missingKey(name);
        return value;
      },
      { positional: 'missing' },
    ),
  );
}

function formatted<One>(items: readonly One[], format: (item: One) => string): readonly string[] {
  let characters = 0;
  return items.map((item) => {
    const text = format(item);
    characters += text.length;
    if (characters > maximumCharacters)
      throw new ComponentError(`The texts of the items hold more than ${maximumCharacters} characters.`);
    return text;
  });
}

interface Item {
  readonly values: PythonObject;
  /** The text for a missing key. */
  readonly fallback: string;
}

function dataItems(input: PythonValue): readonly Item[] | null {
  if (Array.isArray(input)) {
    const items = input.map((item: PythonValue) => dataItem(item));
    return items.every((item) => item !== null) ? items : null;
  }
  if (isDict(input) && 'data' in input) return [structuredItem(input)];
  const item = dataItem(input);
  return item === null ? null : [item];
}

function dataItem(input: PythonValue): Item | null {
  if (input instanceof Data) return { values: input.data, fallback: input.defaultValue ?? '' };
  if (input instanceof Message)
    return { values: messageData(input) as unknown as PythonObject, fallback: '' };
  return null;
}

/** An object with a `data` key is data in its saved form; its other keys are merged into it. */
function structuredItem(input: PythonObject): Item {
  const { data, ...others } = input;
  if (data === undefined || !isDict(data)) {
    throw new ComponentError(
      `Invalid structured input provided: data must be an object, not ${classText(data ?? null)}`,
    );
  }
  return { values: { ...data, ...others }, fallback: '' };
}
