import type { KnowledgeBase, KnowledgeChunk, KnowledgeRun } from '@millrace/runs';
import { isActive } from './knowledge-uploads';
import { codePointCount } from '@millrace/python-text';

/** What Langflow names the store of an installation. */
export const OWN_BACKEND = 'sqlite';
const UNKNOWN = 'Unknown';

/** Returns a knowledge base in Langflow's shape, with the state of its newest upload. */
export function knowledgeBaseView(
  { id, name, settings, chunks, characters, words, bytes, fileTypes }: Omit<KnowledgeBase, 'createdAt'>,
  latest?: KnowledgeRun,
) {
  const state = latest && stateOf(latest);
  return {
    id,
    dir_name: name,
    name: name.replaceAll('_', ' '),
    embedding_provider: settings?.provider ?? UNKNOWN,
    embedding_model: settings?.model || UNKNOWN,
    size: bytes,
    words,
    characters,
    chunks,
    avg_chunk_size: chunks === 0 ? 0 : characters / chunks,
    chunk_size: 1000 as number | null,
    chunk_overlap: 200 as number | null,
    separator: null,
    status: state ?? (chunks === 0 ? 'empty' : 'ready'),
    failure_reason: state === 'failed' ? (latest?.failure?.message ?? null) : null,
    last_job_id: latest?.id ?? null,
    source_types: fileTypes,
    column_config: (settings?.columns ?? []) as readonly unknown[] | null,
    backend_type: OWN_BACKEND,
    backend_config: {},
    storage_state: 'ready',
    storage_generation: 1,
    active_migration_id: null,
  };
}

function stateOf(run: KnowledgeRun): 'ingesting' | 'failed' | null {
  if (isActive(run)) return 'ingesting';
  return run.status === 'succeeded' || run.status === 'cancelled' ? null : 'failed';
}

/** Returns a text of a knowledge base in Langflow's shape. */
export function chunkView({ id, text }: KnowledgeChunk, metadata: Readonly<Record<string, unknown>>) {
  return { id, content: text, char_count: codePointCount(text), metadata };
}
