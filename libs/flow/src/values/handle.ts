import type {
  EmbeddingsHandle,
  Handle,
  ModelHandle,
  PartHandle,
  RetrieverHandle,
  ToolHandle,
} from './python-value';

/** Returns true for a handle of any kind. */
export function isHandle(value: unknown): value is Handle {
  return (
    isModelHandle(value) ||
    isEmbeddingsHandle(value) ||
    isToolHandle(value) ||
    isRetrieverHandle(value) ||
    isPartHandle(value)
  );
}

/** Returns true for a language model from an edge. */
export function isModelHandle(value: unknown): value is ModelHandle {
  return isKind(value, 'language-model') && 'settings' in value;
}

/** Returns true for an embedding model from an edge. */
export function isEmbeddingsHandle(value: unknown): value is EmbeddingsHandle {
  return isKind(value, 'embeddings') && 'settings' in value;
}

/** Returns true for a tool from an edge. */
export function isToolHandle(value: unknown): value is ToolHandle {
  return isKind(value, 'tool') && 'call' in value && typeof value.call === 'function';
}

/** Returns true for a vector store from an edge. */
export function isRetrieverHandle(value: unknown): value is RetrieverHandle {
  return isKind(value, 'retriever') && 'search' in value && typeof value.search === 'function';
}

/** Returns true for a part that components of one family pass to each other. */
export function isPartHandle(value: unknown): value is PartHandle {
  return isKind(value, 'part') && 'content' in value && typeof value.content === 'object';
}

function isKind(value: unknown, kind: Handle['kind']): value is object {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === kind;
}
