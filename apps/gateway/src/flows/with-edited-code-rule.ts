import { editedCodeMember } from '@millrace/flow';
import type { EditedCodeRule } from '@millrace/flow';
import { isRecord } from './is-record';

/**
 * A flow document that carries the rule which its owner set for edited code, so that each version of the flow says how
 * it runs. Without a rule the document carries none, whatever the file it came from says.
 */
export function withEditedCodeRule(document: unknown, rule: EditedCodeRule | undefined): unknown {
  if (!isRecord(document) || Object.keys(document).length === 0) return document;
  if (document[editedCodeMember] === rule) return document;
  const rest = Object.entries(document).filter(([name]) => name !== editedCodeMember);
  return Object.fromEntries(rule === undefined ? rest : [...rest, [editedCodeMember, rule]]);
}
