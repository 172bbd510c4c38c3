import type {
  EmbeddingsHandle,
  Handle,
  ModelHandle,
  PartHandle,
  RetrieverHandle,
  ToolHandle,
} from './python-value';

/** True for a handle of any kind. */
export function isHandle(value: unknown): value is Handle {
  return (
    isModelHandle(value) ||
    isEmbeddingsHandle(value) ||
    isToolHandle(value) ||
    isRetrieverHandle(value) ||
    isPartHandle(value)
  );
}

/** True for a language model that a wire brought. */
export function isModelHandle(value: unknown): value is ModelHandle {
  return isKind(value, 'language-model') && 'settings' in value;
}

/** True for an embedding model that a wire brought. */
export function isEmbeddingsHandle(value: unknown): value is EmbeddingsHandle {
  return isKind(value, 'embeddings') && 'settings' in value;
}

/** True for a tool that a wire brought. */
export function isToolHandle(value: unknown): value is ToolHandle {
  return isKind(value, 'tool') && 'call' in value && typeof value.call === 'function';
}

/** True for a vector store that a wire brought. */
export function isRetrieverHandle(value: unknown): value is RetrieverHandle {
  return isKind(value, 'retriever') && 'search' in value && typeof value.search === 'function';
}

/** True for what the components of one family hand to each other. */
export function isPartHandle(value: unknown): value is PartHandle {
  return isKind(value, 'part') && 'content' in value && typeof value.content === 'object';
}

function isKind(value: unknown, kind: Handle['kind']): value is object {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === kind;
}
