import { DataFrame } from '@millrace/python-text';
import type { PythonObject } from '@millrace/python-text';

const contentColumns: readonly string[] = [
  'text',
  'content',
  'output',
  'summary',
  'result',
  'answer',
  'response',
];
const systemColumns = new Set([
  'timestamp',
  'sender',
  'sender_name',
  'session_id',
  'context_id',
  'flow_id',
  'files',
  'error',
  'edit',
]);

/** Builds a table with ordered columns: content first, then metadata, system columns last. */
export function orderedTable(
  rows: readonly PythonObject[],
  columns: readonly string[] = new DataFrame(rows).columns,
): DataFrame {
  const places = new Map(columns.map((column) => [column, place(column)]));
  return new DataFrame(
    rows,
    [...columns].sort((one, other) => (places.get(one) ?? 0) - (places.get(other) ?? 0)),
  );
}

function place(column: string): number {
  const content = contentColumns.indexOf(column.toLowerCase());
  if (content !== -1) return content;
  const isSystem = systemColumns.has(column) || column.startsWith('_');
  return contentColumns.length + Number(isSystem);
}
