import type { PythonObject, PythonValue } from '@millrace/python-text';
import type { ToolApproval } from '../values/handle';
import { isDict } from './inputs/python-dict';

/** One row of a node's table of tools. */
export interface ToolRow {
  readonly name: string;
  readonly description: string;
  /** The original name of the tool, before its author renamed it; empty when the row does not contain it. */
  readonly identifier: string;
  readonly enabled: boolean;
  /** The decisions that a person can take before a call. */
  readonly approvals: readonly ToolApproval[];
  /** Descriptions of arguments by name, where the row has them. */
  readonly argumentDescriptions: Readonly<Record<string, string>>;
}

/** Reads a node's table of tools; rows without a name are omitted. */
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
        approvals: approvalsOf(row),
        argumentDescriptions: isDict(args) ? descriptions(args) : {},
      };
    })
    .filter(({ name, identifier }) => name !== '' || identifier !== '');
}

const APPROVALS: readonly ToolApproval[] = ['approve', 'edit', 'reject', 'respond'];

/** Returns the decisions of a row that this release knows, each once. */
export function approvalsOf({ approval_actions: actions = null }: PythonObject): readonly ToolApproval[] {
  return Array.isArray(actions)
    ? APPROVALS.filter((known) => (actions as readonly PythonValue[]).includes(known))
    : [];
}

export interface NamedTool {
  /** Index of the tool in the list of identifiers. */
  readonly index: number;
  readonly name: string;
  readonly row: ToolRow | null;
}

/**
 * Returns the tools and their names. Without a table, all of them; with one, those with an enabled row. A single row that
 * names none applies to the first tool: authors of copied nodes rename both, and earlier versions used other names.
 */
export function namedTools(identifiers: readonly string[], rows: readonly ToolRow[]): readonly NamedTool[] {
  if (rows.length === 0) {
    return identifiers.map((identifier, index) => ({ index, name: toolName(identifier), row: null }));
  }
  const [single, second] = rows;
  const namesNone = second === undefined && !identifiers.some((one) => single && namesTool(single, one));
  return identifiers.flatMap((identifier, index) => {
    const found = rows.find((row) => namesTool(row, identifier));
    const row = found ?? (namesNone && index === 0 ? single : undefined);
    if (row?.enabled !== true) return [];
    // Of several rows for one tool the first counts; an approval that another one wants is not lost.
    const approvals =
      row.approvals.length > 0
        ? row
        : rows.find((one) => namesTool(one, identifier) && one.approvals.length > 0);
    return [
      {
        index,
        name: toolName(row.name || identifier),
        row: { ...row, approvals: approvals?.approvals ?? [] },
      },
    ];
  });
}

/** Returns true when a row is for this method. Some files put the type before it: "CalculatorComponent-evaluate". */
export function namesTool(row: ToolRow, identifier: string): boolean {
  const named = row.identifier || row.name;
  return named === identifier || named.endsWith(`-${identifier}`);
}

/** Returns a tool name in the form that model providers accept. */
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
