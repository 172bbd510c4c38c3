import { isDict } from './inputs/python-dict';
import type { PythonObject, PythonValue } from '../values/python-value';

/** One row of a node's table of tools. */
export interface ToolRow {
  readonly name: string;
  readonly description: string;
  /** What the tool was called before its author renamed it; empty when the row does not say. */
  readonly identifier: string;
  readonly enabled: boolean;
  /** Descriptions of the arguments by name, as far as the row has some. */
  readonly argumentDescriptions: Readonly<Record<string, string>>;
}

/** Reads a node's table of tools; rows that say nothing are left out. */
export function savedTools(table: PythonValue): readonly ToolRow[] {
  if (!Array.isArray(table)) return [];
  return (table as readonly PythonValue[])
    .filter((row) => isDict(row))
    .map((row) => {
      const { tags = null, status, args = null } = row;
      const first: PythonValue = Array.isArray(tags) ? ((tags as readonly PythonValue[])[0] ?? null) : tags;
      return {
        name: textOf(row, 'name'),
        description: textOf(row, 'description'),
        identifier: typeof first === 'string' ? first : '',
        enabled: status !== false,
        argumentDescriptions: isDict(args) ? descriptions(args) : {},
      };
    })
    .filter(({ name, identifier }) => name !== '' || identifier !== '');
}

export interface NamedTool {
  /** Which of the identifiers this tool is. */
  readonly index: number;
  readonly name: string;
  readonly row: ToolRow | null;
}

/**
 * Which tools there are, and what they are called. Without a table all of them; with one those that have a row which is
 * switched on. A single row stands for a single tool whatever it is called: authors of copied nodes rename both.
 */
export function namedTools(identifiers: readonly string[], rows: readonly ToolRow[]): readonly NamedTool[] {
  if (rows.length === 0) {
    return identifiers.map((identifier, index) => ({ index, name: toolName(identifier), row: null }));
  }
  return identifiers.flatMap((identifier, index) => {
    const found = rows.find((row) => namesTool(row, identifier));
    const row = found ?? (identifiers.length === 1 && rows.length === 1 ? rows[0] : undefined);
    return row?.enabled === true ? [{ index, name: toolName(row.name || identifier), row }] : [];
  });
}

/** Says whether a row is about this method. Some files write the type before it: "CalculatorComponent-evaluate". */
export function namesTool(row: ToolRow, identifier: string): boolean {
  const named = row.identifier || row.name;
  return named === identifier || named.endsWith(`-${identifier}`);
}

/** A name as models' providers accept them. */
function toolName(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, '-').slice(0, 64);
}

function descriptions(args: PythonObject): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(args).flatMap(([name, argument]) => {
      const description = isDict(argument) ? textOf(argument, 'description') : '';
      return description === '' ? [] : [[name, description]];
    }),
  );
}

function textOf(row: PythonObject, name: string): string {
  const value = row[name];
  return typeof value === 'string' ? value : '';
}
