import type { MessageProperties } from './message-properties';
import type { Message } from './python-value';

/** A message's `.data` for clients and other components. */
export interface MessageData {
  readonly text: string;
  readonly files: readonly string[];
  readonly sender: string | null;
  readonly sender_name: string | null;
  readonly session_id: string;
  readonly context_id: string | null;
  readonly run_id: string | null;
  readonly timestamp: string;
  readonly flow_id: string | null;
  readonly error: boolean;
  readonly edit: boolean;
  readonly properties: MessageProperties;
  readonly category: string;
  readonly content_blocks: readonly unknown[];
  readonly duration: number | null;
  readonly session_metadata: unknown;
  /** Present after the message is stored. */
  readonly id?: string;
}

/**
 * Returns the `.data` of a message, ready for JSON.stringify. The members of a stored message (one with an id) are in
 * the order of its row, those of other messages in the order of the class, then additional members of a component, as
 * recorded from Langflow. Shares the message's properties and lists: treat it as read-only.
 */
export function messageData(message: Message, properties = message.fields.properties): MessageData {
  const { id, extra } = message.fields;
  const data = id === null ? unstoredData(message, properties) : storedData(message, id, properties);
  for (const _ in extra) return { ...data, ...extra, text: data.text };
  return data;
}

function unstoredData({ fields }: Message, properties: MessageProperties): MessageData {
  return {
    text: fields.text,
    files: fields.files,
    sender: fields.sender,
    sender_name: fields.senderName,
    session_id: fields.sessionId,
    context_id: fields.contextId,
    run_id: fields.runId,
    timestamp: fields.timestamp,
    flow_id: fields.flowId,
    error: fields.error,
    edit: fields.edit,
    properties,
    category: fields.category,
    content_blocks: fields.contentBlocks,
    duration: fields.duration,
    session_metadata: fields.sessionMetadata,
  };
}

function storedData({ fields }: Message, id: string, properties: MessageProperties): MessageData {
  return {
    timestamp: fields.timestamp,
    sender: fields.sender,
    sender_name: fields.senderName,
    session_id: fields.sessionId,
    context_id: fields.contextId,
    text: fields.text,
    files: fields.files,
    error: fields.error,
    edit: fields.edit,
    properties,
    category: fields.category,
    content_blocks: fields.contentBlocks,
    session_metadata: fields.sessionMetadata,
    id,
    flow_id: fields.flowId,
    run_id: fields.runId,
    duration: fields.duration,
  };
}
