import type { Message } from '@millrace/python-text';
import { doubleNewlines } from './double-newlines';

/** The content of the `artifacts` of a chat vertex. */
export interface MessageArtifacts {
  readonly message: string;
  readonly sender: string | null;
  readonly sender_name: string | null;
  readonly files: readonly string[];
  readonly type: 'object';
}

/** Returns the `artifacts` of a chat vertex for this message; newlines of the machine's texts are doubled. */
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
