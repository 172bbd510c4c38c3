import { isDict } from '@millrace/flow';
import { Message, parsePythonJson } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';
import { textMember } from '../../integrations/http/json-members';

/** Formats a message as LangChain's chat memories do, so that both can read each other's messages. */
export function writeChatRecord({ text, fields }: Message): string {
  const type = fields.sender === 'User' ? 'human' : 'ai';
  const data = { content: text, additional_kwargs: {}, response_metadata: {}, type, name: null, id: null };
  return JSON.stringify({ type, data });
}

/** Returns the message in such a record; null when it contains none. */
export function readChatRecord(record: string, sessionId: string): Message | null {
  const value = parsed(record);
  const type = textMember(value, 'type');
  if (!isDict(value) || !['human', 'ai'].includes(type)) return null;
  const isHuman = type === 'human';
  return new Message({
    text: textMember(value, 'data', 'content'),
    sender: isHuman ? 'User' : 'Machine',
    senderName: isHuman ? 'User' : 'AI',
    sessionId,
  });
}

function parsed(text: string): PythonValue {
  try {
    return parsePythonJson(text);
  } catch {
    return null;
  }
}
