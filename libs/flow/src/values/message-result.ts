import { messageData } from '@millrace/python-text';
import type { Message, MessageProperties, MessageData } from '@millrace/python-text';

/** A message in `results` of a response: its data nested in `data` and once more flattened. */
export interface MessageResult {
  readonly text_key: 'text';
  readonly data: MessageData;
  readonly default_value: '';
  readonly sender: string | null;
  readonly sender_name: string | null;
  readonly files: readonly string[];
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
  readonly text: string;
}

/** A message in the events `add_message` and `error`: a result with the message's id at its end. */
export interface MessageEventData extends MessageResult {
  readonly id: string | null;
}

/**
 * Returns the nested and flattened JSON of a message for `results`, ready for JSON.stringify; treat it as read-only.
 */
export function messageToResult(message: Message): MessageResult {
  return flattened(message, messageData(message));
}

/**
 * Returns the JSON of a message for an event of a stream. While its text is streaming (`properties.state` is
 * `partial`), the state in the nested `data` is `complete`, which clients expect.
 */
export function messageToEventData(message: Message): MessageEventData {
  const { properties, id } = message.fields;
  const inner = properties.state === 'partial' ? { ...properties, state: 'complete' as const } : properties;
  return Object.assign(flattened(message, messageData(message, inner)), { id });
}

function flattened({ fields }: Message, data: MessageData): MessageResult {
  return {
    text_key: 'text',
    data,
    default_value: '',
    sender: fields.sender,
    sender_name: fields.senderName,
    files: fields.files,
    session_id: fields.sessionId,
    context_id: fields.contextId,
    run_id: fields.runId,
    timestamp: fields.timestamp,
    flow_id: fields.flowId,
    error: fields.error,
    edit: fields.edit,
    properties: fields.properties,
    category: fields.category,
    content_blocks: fields.contentBlocks,
    duration: fields.duration,
    session_metadata: fields.sessionMetadata,
    text: fields.text,
  };
}
