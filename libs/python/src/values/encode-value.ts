import {
  ComponentError,
  isEmbeddingsHandle,
  isModelHandle,
  isPartHandle,
  isRetrieverHandle,
  isToolHandle,
} from '@millrace/flow';
import { Data, DataFrame, Message, PythonFloat, tableRecords } from '@millrace/python-text';
import type { PythonObject, PythonValue } from '@millrace/python-text';
import { connectedMemory } from '@millrace/components';
import type { HostObject, LiveObjects } from './live-objects';

/**
 * Returns a value for a frame: plain JSON, with Langflow's types and live objects as objects with one tagged member
 * (`$message`, `$data`, `$table`, `$host_model`, `$ref`, …). Streamed texts must be complete.
 */
export function encodeValue(value: PythonValue, objects: LiveObjects): PythonValue {
  if (typeof value !== 'object' || value === null || value instanceof PythonFloat) return value;
  if (Array.isArray(value))
    return (value as readonly PythonValue[]).map((item) => encodeValue(item, objects));
  if (value instanceof Message) return { $message: encodeMessage(value, objects) };
  if (value instanceof Data) {
    const { textKey, defaultValue } = value;
    return {
      $data: { data: encodeMembers(value.data, objects), text_key: textKey, default: defaultValue },
    };
  }
  if (value instanceof DataFrame) return { $table: encodeTable(value, objects) };
  if (isHostObject(value)) return encodeObject(value, objects);
  const members = encodeMembers(value as PythonObject, objects);
  const [only, ...others] = Object.keys(members);
  return only?.startsWith('$') === true && others.length === 0 ? { $dict: members } : members;
}

/** Returns an object with each member encoded. */
export function encodeMembers(object: PythonObject, objects: LiveObjects): PythonObject {
  return Object.fromEntries(
    Object.entries(object).map(([key, member]) => [key, encodeValue(member, objects)]),
  );
}

/** A message whose members have their defaults. */
const defaults = new Message({ text: '' }).fields;

/** Leaves out members with their defaults, as most messages have them. */
function encodeMessage({ text, fields }: Message, objects: LiveObjects): PythonObject {
  const encoded: Record<string, PythonValue> = {};
  const add = (name: string, value: PythonValue, standard: PythonValue = null): void => {
    if (value !== null && value !== standard) encoded[name] = value;
  };
  add('sender', fields.sender);
  add('sender_name', fields.senderName);
  add('session_id', fields.sessionId, '');
  add('context_id', fields.contextId, '');
  add('flow_id', fields.flowId);
  add('run_id', fields.runId);
  add('timestamp', fields.timestamp, '');
  add('error', fields.error, false);
  add('edit', fields.edit, false);
  add('category', fields.category, 'message');
  add('duration', fields.duration);
  const { sessionMetadata: metadata } = fields;
  add('session_metadata', metadata === null ? null : encodeMembers(metadata, objects));
  add('id', fields.id);
  if (fields.files.length > 0) encoded['files'] = fields.files;
  if (fields.properties !== defaults.properties)
    encoded['properties'] = fields.properties as unknown as PythonObject;
  if (fields.contentBlocks.length > 0)
    encoded['content_blocks'] = fields.contentBlocks as readonly PythonValue[];
  const extra = encodeMembers(fields.extra, objects);
  return { text, fields: encoded, ...(Object.keys(extra).length > 0 ? { extra } : {}) };
}

/** Cells are in columns: a table of many rows has few lists. */
function encodeTable(table: DataFrame, objects: LiveObjects): PythonObject {
  const rows = tableRecords(table);
  return {
    columns: table.columns,
    rows: rows.length,
    cells: table.columns.map((column) => rows.map((row) => encodeValue(row[column] ?? null, objects))),
  };
}

function isHostObject(value: unknown): value is HostObject {
  return (
    isModelHandle(value) ||
    isEmbeddingsHandle(value) ||
    isToolHandle(value) ||
    isRetrieverHandle(value) ||
    isPartHandle(value)
  );
}

function encodeObject(value: HostObject, objects: LiveObjects): PythonObject {
  const reference = objects.referenceOf(value);
  if (reference !== null) return { $ref: reference };
  switch (value.kind) {
    case 'language-model':
      return {
        $host_model: { handle: objects.numberOf(value), model: value.model, provider: value.provider },
      };
    case 'embeddings':
      return { $host_embeddings: { handle: objects.numberOf(value), model: value.model } };
    case 'tool':
      return {
        $host_tool: {
          handle: objects.numberOf(value),
          name: value.name,
          description: value.description,
          parameters: value.parameters as PythonObject,
        },
      };
    case 'retriever':
      return { $host_retriever: { handle: objects.numberOf(value) } };
    case 'part':
      if (!isChatMemory(value)) {
        throw new ComponentError(`A ${value.name} cannot be passed to a component that runs in Python.`);
      }
      return { $host_history: { handle: objects.numberOf(value), session_id: '' } };
  }
}

function isChatMemory(value: PythonValue): boolean {
  try {
    return connectedMemory(value) !== null;
  } catch {
    return false;
  }
}
