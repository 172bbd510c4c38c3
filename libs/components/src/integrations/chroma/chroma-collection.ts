import { ComponentError, isDict, jsonValue } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import type { PythonObject, PythonValue } from '@millrace/python-text';
import { callHttp } from '../http/call-http';
import { callJson } from '../http/call-service';
import { member, textMember } from '../http/json-members';
import { batches } from '../http/batches';
import { numberList, numberOf } from '../vector-stores/number-list';
import { scalarMetadata } from '../vector-stores/json-metadata';
import type { FoundText, StoredText, StoreSearch, VectorStore } from '../vector-stores/vector-store';

/** Texts in one request; Chroma's own limit is larger. */
const maximumTexts = 100;
const service = 'Chroma';

/** A collection on a Chroma server: through its API v2, or v1 on older servers. */
export class ChromaServer implements VectorStore {
  readonly makesVectors = false;
  readonly #address: string;
  readonly #collection: string;
  readonly #context: ComponentContext;
  #root: Promise<string> | null = null;

  constructor(address: string, collection: string, context: ComponentContext) {
    this.#address = address;
    this.#collection = collection;
    this.#context = context;
  }

  async add(texts: readonly StoredText[]): Promise<void> {
    const root = await this.#collectionRoot();
    for (const batch of batches(texts, maximumTexts)) {
      await this.#post(`${root}/upsert`, {
        ids: batch.map(({ id }) => id),
        embeddings: batch.map(({ vector }) => [...(vector ?? [])]),
        documents: batch.map(({ text }) => text),
        metadatas: batch.map(({ metadata }) => metadataOf(metadata)),
      });
    }
  }

  async search({ vector, limit, withVectors }: StoreSearch): Promise<readonly FoundText[]> {
    const answer = await this.#post(
      `${await this.#collectionRoot()}/query`,
      {
        query_embeddings: [[...(vector ?? [])]],
        n_results: limit,
        include: ['documents', 'metadatas', 'distances', ...(withVectors ? ['embeddings'] : [])],
      },
      true,
    );
    const row = (name: string): readonly PythonValue[] => firstList(member(answer, name));
    const [documents, metadatas, distances, vectors] = [
      'documents',
      'metadatas',
      'distances',
      'embeddings',
    ].map(row);
    return (documents ?? []).map((text, index) => {
      const metadata = metadatas?.[index] ?? null;
      const distance = numberOf(distances?.[index] ?? null);
      return {
        text: typeof text === 'string' ? text : '',
        metadata: isDict(metadata) ? metadata : {},
        similarity: distance === null ? null : 1 - distance / 2,
        vector: numberList(vectors?.[index] ?? null),
      };
    });
  }

  /** Returns stored texts without their vectors, up to a limit. */
  async list(limit: number): Promise<readonly Pick<FoundText, 'text' | 'metadata'>[]> {
    const answer = await this.#post(
      `${await this.#collectionRoot()}/get`,
      { limit, include: ['documents', 'metadatas'] },
      true,
    );
    const metadatas = listOf(member(answer, 'metadatas'));
    return listOf(member(answer, 'documents')).map((text, index) => {
      const metadata = metadatas[index] ?? null;
      return { text: typeof text === 'string' ? text : '', metadata: isDict(metadata) ? metadata : {} };
    });
  }

  /** Returns the path of the collection, which is created when it does not exist. */
  #collectionRoot(): Promise<string> {
    this.#root ??= this.#openCollection();
    return this.#root;
  }

  async #openCollection(): Promise<string> {
    const heartbeat = { service, url: new URL(`${this.#address}/api/v2/heartbeat`) };
    const { status } = await callHttp(heartbeat, this.#context);
    const collections =
      status === 404
        ? `${this.#address}/api/v1/collections`
        : `${this.#address}/api/v2/tenants/default_tenant/databases/default_database/collections`;
    const collection = await this.#post(collections, { name: this.#collection, get_or_create: true }, true);
    const id = textMember(collection, 'id');
    if (id === '') throw new ComponentError('Chroma returned a collection without an id.');
    return `${collections}/${encodeURIComponent(id)}`;
  }

  #post(url: string, json: PythonObject, repeatable = false): Promise<PythonValue> {
    return callJson({ service, url, method: 'POST', json: jsonValue(json), repeatable }, this.#context);
  }
}

/** Chroma does not accept empty metadata or nested values in it. */
function metadataOf(metadata: PythonObject): PythonObject | null {
  const scalars = scalarMetadata(metadata);
  return Object.keys(scalars).length === 0 ? null : scalars;
}

function firstList(value: PythonValue): readonly PythonValue[] {
  return listOf(listOf(value)[0] ?? null);
}

function listOf(value: PythonValue): readonly PythonValue[] {
  return Array.isArray(value) ? (value as readonly PythonValue[]) : [];
}
