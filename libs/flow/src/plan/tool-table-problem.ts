import type { PythonValue } from '@millrace/python-text';
import { isDict } from '../component/inputs/python-dict';
import { isSet, unknownMembers } from '../document/known-members';

/** The field that holds a node's table of tools. */
export const toolTableField = 'tools_metadata';

/** Why a table of tools cannot be used; `message` continues a sentence that names the vertex. */
export interface ToolTableProblem {
  readonly code: 'approval_unsupported' | 'unknown_member';
  readonly message: string;
}

/**
 * Returns why a table of tools cannot be used as its author wants it; null when it can. As in Langflow's check of
 * approvals, a disabled tool counts. A row with members of a newer release is refused too, because a row says what a
 * model may do with a tool.
 */
export function toolTableProblem(table: PythonValue): ToolTableProblem | null {
  if (!Array.isArray(table)) return null;
  for (const row of table as readonly PythonValue[]) {
    if (!isDict(row)) continue;
    const tool = typeof row['name'] === 'string' ? row['name'] : '';
    if (isSet(row['approval_actions'])) {
      return {
        code: 'approval_unsupported',
        message:
          `a person has to approve the calls of the tool "${tool}" (approval_actions), and a run here cannot wait for ` +
          'a person. Clear the approvals of the tool to run it without them.',
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
