import type { PythonValue } from '@millrace/python-text';
import { isDict } from '../component/inputs/python-dict';
import { approvalsOf } from '../component/saved-tools';
import { isSet, unknownMembers } from '../document/known-members';

/** The field that holds a node's table of tools. */
export const toolTableField = 'tools_metadata';

/** Why a table of tools cannot be used; `message` continues a sentence that names the vertex. */
export interface ToolTableProblem {
  readonly code: 'approval_unsupported' | 'unknown_member';
  readonly message: string;
}

/** Whether a person has to approve calls of a tool of the table. As in Langflow, a disabled tool counts. */
export function wantsApprovals(table: PythonValue): boolean {
  return (
    Array.isArray(table) &&
    (table as readonly PythonValue[]).some((row) => isDict(row) && isSet(row['approval_actions']))
  );
}

/**
 * Returns why a table of tools cannot be used as its author wants it; null when it can. `isApproved` says whether all that
 * call the tools ask a person before. A row with members of a newer release is refused too, because a row says what a
 * model may do with a tool.
 */
export function toolTableProblem(
  table: PythonValue,
  { isApproved }: { readonly isApproved: boolean },
): ToolTableProblem | null {
  if (!Array.isArray(table)) return null;
  for (const row of table as readonly PythonValue[]) {
    if (!isDict(row)) continue;
    const tool = typeof row['name'] === 'string' ? row['name'] : '';
    // A list of decisions of which this release knows none would let the tool run unasked.
    if (isSet(row['approval_actions']) && !(isApproved && approvalsOf(row).length > 0)) {
      return {
        code: 'approval_unsupported',
        message:
          `a person has to approve the calls of the tool "${tool}" (approval_actions), and only an agent or a crew ` +
          'to which it is connected can ask. Clear the approvals of the tool to run it without them.',
      };
    }
    const unknown = unknownMembers('toolRow', row);
    if (unknown.length > 0) {
      return {
        code: 'unknown_member',
        message:
          `the tool "${tool}" has settings that this release does not know: ${unknown.join(', ')}. Remove them from ` +
          'the table of tools to run it without them.',
      };
    }
  }
  return null;
}
