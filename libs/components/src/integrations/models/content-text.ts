import { isDict } from '@millrace/flow';
import type { PythonValue } from '@millrace/python-text';

/** Returns the text of an answer's content: a text, or parts, of which those with the model's thoughts are omitted. */
export function contentText(content: PythonValue): string {
  if (typeof content === 'string') return content;
  if (Array.isArray(content)) return content.map((part: PythonValue) => contentText(part)).join('');
  if (!isDict(content) || content['thought'] === true) return '';
  const { type = 'text', text = '' } = content;
  return (type === 'text' || type === 'output_text') && typeof text === 'string' ? text : '';
}
