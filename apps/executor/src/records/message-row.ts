import { Message } from '@millrace/python-text';
import type { MessageFields, PythonObject } from '@millrace/python-text';
import type { MessageRow } from '@millrace/runs';
import { machineTime } from '@millrace/service';

const TIMESTAMP = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(\.\d+)? UTC$/;

/** Converts a stored message to its row; the message must have an id. */
export function toMessageRow(message: Message, userId: string, flowId: string): MessageRow {
  const { fields } = message;
  return {
    id: fields.id ?? '',
    flowId: fields.flowId ?? flowId,
    userId,
    sessionId: fields.sessionId,
    contextId: fields.contextId ?? '',
    runId: fields.runId,
    timestamp: parseTimestamp(fields.timestamp),
    sender: fields.sender ?? '',
    senderName: fields.senderName ?? '',
    text: fields.text,
    files: [...fields.files],
    error: fields.error,
    edit: fields.edit,
    properties: fields.properties,
    category: fields.category,
    contentBlocks: [...fields.contentBlocks],
    duration: fields.duration,
    sessionMetadata: fields.sessionMetadata,
  };
}

/** Converts a row to the message that components read. */
export function fromMessageRow(row: MessageRow): Message {
  return new Message({
    text: row.text,
    sender: row.sender,
    senderName: row.senderName,
    files: row.files,
    sessionId: row.sessionId,
    contextId: row.contextId ?? '',
    flowId: row.flowId,
    runId: row.runId,
    timestamp: formatTimestamp(row.timestamp),
    error: row.error,
    edit: row.edit,
    properties: row.properties as MessageFields['properties'],
    category: row.category as MessageFields['category'],
    contentBlocks: row.contentBlocks,
    duration: row.duration,
    sessionMetadata: row.sessionMetadata as PythonObject | null,
    id: row.id,
  });
}

function parseTimestamp(timestamp: string): Date {
  const parts = TIMESTAMP.exec(timestamp);
  return parts
    ? new Date(`${parts[1]}T${parts[2]}${(parts[3] ?? '.000').slice(0, 4)}Z`)
    : new Date(machineTime());
}

function formatTimestamp(timestamp: Date): string {
  return `${timestamp.toISOString().replace('T', ' ').replace('Z', '')}000 UTC`;
}
