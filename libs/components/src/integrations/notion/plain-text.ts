import type { PythonValue } from '@millrace/python-text';
import { objectsMember, textMember } from '../http/json-members';

/** Returns the plain text of one of Notion's rich texts. */
export function plainText(value: PythonValue, ...path: readonly string[]): string {
  return objectsMember(value, ...path)
    .map((piece) => textMember(piece, 'plain_text') || textMember(piece, 'text', 'content'))
    .join('');
}
