import { editedCodeMember } from '@millrace/flow';
import type { EditedCodeRule } from '@millrace/flow';
import { isRecord } from '../http/bodies/parse-json';

/**
 * Returns a flow document with its owner's rule for edited code, so that each version of the flow contains its rule.
 * Without a rule, removes any rule that the imported file contains.
 */
export function withEditedCodeRule(document: unknown, rule: EditedCodeRule | undefined): unknown {
  if (!isRecord(document) || Object.keys(document).length === 0) return document;
  if (document[editedCodeMember] === rule) return document;
  const rest = Object.entries(document).filter(([name]) => name !== editedCodeMember);
  return Object.fromEntries(rule === undefined ? rest : [...rest, [editedCodeMember, rule]]);
}
