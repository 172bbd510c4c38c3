import type { Message } from '@millrace/python-text';
import { doubleNewlines } from './double-newlines';

/** One entry of a response's `messages` list. */
export interface ChatOutputResponse {
  readonly message: string;
  readonly sender: string;
  readonly sender_name: string;
  readonly session_id: string;
  readonly stream_url: null;
  readonly component_id: string;
  readonly files: readonly string[];
  readonly type: 'text';
}

/**
 * Returns the entry of `messages` for a vertex with this message. A message without a sender counts as the machine's,
 * whose newlines are doubled for Markdown. An empty message has no entry; the caller omits it.
 */
export function chatOutputResponse(message: Message, componentId: string): ChatOutputResponse {
  const { fields } = message;
  const sender = fields.sender ?? 'Machine';
  return {
    message: doubleNewlines(fields.text, sender),
    sender,
    sender_name: fields.senderName ?? 'AI',
    session_id: fields.sessionId,
    stream_url: null,
    component_id: componentId,
    files: fields.files,
    type: 'text',
  };
}
