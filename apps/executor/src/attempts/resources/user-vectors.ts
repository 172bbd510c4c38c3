import { ComponentError, isDict } from '@millrace/flow';
import type { LocalVectors, VectorDocument, VectorMatch, VectorSearch } from '@millrace/flow';
import { VectorLimitError } from '@millrace/runs';
import type { VectorRecord, VectorStore } from '@millrace/runs';
import { jsonDumpsCompactAscii, parsePythonJson } from '@millrace/python-text';
import type { PythonObject } from '@millrace/python-text';

/** The vectors of one user, as the components of one attempt use them. */
export class UserVectors implements LocalVectors {
  readonly #store: VectorStore;
  readonly #userId: string;
  readonly #signal: AbortSignal;

  constructor(store: VectorStore, userId: string, signal: AbortSignal) {
    this.#store = store;
    this.#userId = userId;
    this.#signal = signal;
  }

  write(collection: string, documents: readonly VectorDocument[]): Promise<void> {
    return withComponentErrors(() => this.#store.write(this.#userId, collection, documents.map(recordOf)));
  }

  async search(
    collection: string,
    { vector, limit, where = {} }: VectorSearch,
  ): Promise<readonly VectorMatch[]> {
    const matches = await withComponentErrors(() =>
      this.#store.search(this.#userId, collection, {
        vector: Float32Array.from(vector),
        limit,
        where: jsonDumpsCompactAscii(where),
        signal: this.#signal,
      }),
    );
    return matches.map(({ record, similarity }) => ({ document: documentOf(record), similarity }));
  }

  async list(collection: string, limit: number): Promise<readonly VectorDocument[]> {
    return (await this.#store.list(this.#userId, collection, limit)).map(documentOf);
  }

  model(collection: string): ReturnType<LocalVectors['model']> {
    return this.#store.model(this.#userId, collection);
  }

  clear(collection: string): Promise<number> {
    return this.#store.deleteCollection(this.#userId, collection);
  }
}

function recordOf({ id, text, metadata, vector }: VectorDocument): VectorRecord {
  return { id, text, metadata: jsonDumpsCompactAscii(metadata), vector: Float32Array.from(vector) };
}

function documentOf({ id, text, metadata, vector }: VectorRecord): VectorDocument {
  const parsed = parsePythonJson(metadata);
  const fields: PythonObject = isDict(parsed) ? parsed : {};
  return { id, text, metadata: fields, vector: [...vector] };
}

/** Reports exceeded limits as errors of the component, because the flow has caused them. */
async function withComponentErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof VectorLimitError) throw new ComponentError(error.message, error);
    throw error;
  }
}
