import {
  anyObject,
  closedObject,
  integer,
  listOf,
  orNull,
  text,
  uuid,
  namedObject,
} from '@millrace/messages';

/** A knowledge base, in Langflow's shape. */
export const knowledgeBaseSchema = namedObject('KnowledgeBase', {
  id: uuid,
  dir_name: text,
  name: text,
  embedding_provider: text,
  embedding_model: text,
  size: integer,
  words: integer,
  characters: integer,
  chunks: integer,
  avg_chunk_size: { type: 'number' },
  chunk_size: orNull(integer),
  chunk_overlap: orNull(integer),
  separator: orNull(text),
  status: { enum: ['empty', 'ready', 'ingesting', 'failed'] },
  failure_reason: orNull(text),
  last_job_id: orNull(text),
  source_types: listOf(text),
  column_config: orNull(listOf(anyObject)),
  backend_type: text,
  backend_config: anyObject,
  storage_state: text,
  storage_generation: integer,
  active_migration_id: orNull(text),
});

export const knowledgeBasesSchema = listOf(knowledgeBaseSchema);

const chunk = closedObject({ id: text, content: text, char_count: integer, metadata: anyObject });

/** One page of the texts of a knowledge base. */
export const chunkPageSchema = namedObject('KnowledgeBaseTextPage', {
  chunks: listOf(chunk),
  total: integer,
  page: integer,
  limit: integer,
  total_pages: integer,
});

/** The names that authors gave to metadata, with their values. */
export const metadataKeysSchema = namedObject('KnowledgeBaseMetadata', {
  keys: { type: 'object', additionalProperties: listOf(text) },
  truncated: { type: 'boolean' },
});

export const deletedSchema = closedObject({ message: text });

export const deletedBasesSchema = closedObject({ message: text, deleted_count: integer, not_found: text }, [
  'not_found',
]);

/** The form of an upload. */
export const uploadSchema = {
  type: 'object',
  required: ['files'],
  properties: {
    files: { type: 'array', items: { type: 'string', format: 'binary' } },
    source_name: text,
    chunk_size: { type: 'integer', minimum: 1, maximum: 10_000, default: 1_000 },
    chunk_overlap: { type: 'integer', minimum: 0, maximum: 5_000, default: 200 },
    separator: text,
    metadata: text,
    per_file_metadata: text,
  },
} as const;

export const taskSchema = namedObject('KnowledgeBaseTask', { id: uuid, href: text });

const uploadMembers = {
  id: uuid,
  kb_name: text,
  kb_id: uuid,
  job_id: uuid,
  source_type: text,
  source_name: orNull(text),
  status: { enum: ['pending', 'running', 'succeeded', 'partial', 'failed', 'cancelled'] },
  error_message: orNull(text),
  total_items: integer,
  succeeded: integer,
  failed: integer,
  skipped: integer,
  total_bytes: integer,
  chunks_created: integer,
  started_at: text,
  finished_at: orNull(text),
  user_metadata: anyObject,
} as const;

/** One page of the uploads to a knowledge base. */
export const uploadPageSchema = namedObject('KnowledgeBaseUploadPage', {
  runs: listOf(closedObject(uploadMembers)),
  total: integer,
  page: integer,
  limit: integer,
  total_pages: integer,
});

/** An upload with its files. */
export const uploadDetailsSchema = namedObject('KnowledgeBaseUpload', {
  ...uploadMembers,
  source_config: anyObject,
  items: listOf(
    closedObject({
      item_id: text,
      display_name: text,
      status: { enum: ['succeeded', 'skipped'] },
      chunks_created: integer,
      error_message: orNull(text),
    }),
  ),
});
