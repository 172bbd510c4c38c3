import { doubleNewlines } from './double-newlines';
import type { Message } from './message';

/** What the `artifacts` of a chat vertex hold. */
export interface MessageArtifacts {
  readonly message: string;
  readonly sender: string | null;
  readonly sender_name: string | null;
  readonly files: readonly string[];
  readonly type: 'object';
}

/** The `artifacts` of a chat vertex that gave this message; the machine's newlines are doubled. */
export function messageArtifacts(message: Message): MessageArtifacts {
  const { fields } = message;
  return {
    message: doubleNewlines(fields.text, fields.sender),
    sender: fields.sender,
    sender_name: fields.senderName,
    files: fields.files,
    type: 'object',
  };
}
