import { memoryHandle } from '@millrace/components';
import { noResources } from '@millrace/engine';
import type { LocalVectors, RunResources, VectorDocument } from '@millrace/flow';
import { Data, DataFrame } from '@millrace/python-text';
import { embeddingsOutput, given, giving, openAuthorSuite } from './testing/author-suite.fixture';
import { ListMemory } from './testing/list-memory.fixture';
import type { TestVertex } from './testing/python-flow.fixture';

const { author, valueAt, embeddings } = openAuthorSuite();
const fromGiven = 'Given-1.value';
const letters = 'LetterEmbeddings-1.embeddings';
const texts = [new Data({ text: 'red apple', n: 1 }), new Data({ text: 'blue sky', n: 2 })];

describe('vector stores', () => {
  test('of Python use native embeddings', async () => {
    const store = author('vector_store', {
      fields: { search_query: 'blue sky', number_of_results: 1 },
      from: { embedding: embeddingsOutput, ingest_data: [fromGiven] },
    });
    expect(
      await valueAt('OwnVectorStore-1.search_results', [embeddings(), given, store], giving(texts)),
    ).toEqual([{ data: { n: 2, text: 'blue sky' } }]);
  });

  test('of Python take a table and use embeddings of Python', async () => {
    const store = author('vector_store', {
      fields: { search_query: 'blue sky' },
      from: { embedding: letters, ingest_data: [fromGiven] },
    });
    const table = new DataFrame([{ text: 'red apple' }, { text: 'blue sky' }]);
    expect(
      await valueAt('OwnVectorStore-1.dataframe', [author('embeddings'), given, store], giving(table)),
    ).toEqual({ rows: [{ text: 'blue sky' }, { text: 'red apple' }] });
  });

  test('that are native use embeddings of Python', async () => {
    const store: TestVertex = {
      id: 'FAISS-1',
      fields: { index_name: 'i', search_query: 'sky blue', number_of_results: 1 },
      from: { embedding: letters, ingest_data: [fromGiven] },
    };
    const options = { ...giving(texts), resources: withVectors() };
    expect(await valueAt('FAISS-1.search_results', [author('embeddings'), given, store], options)).toEqual([
      { data: { n: 2, text: 'blue sky' } },
    ]);
  });

  test('and retrievers pass between components of Python', async () => {
    const maker = author('store_maker', {
      fields: { texts: ['red', 'blue'] },
      from: { embedding: embeddingsOutput },
    });
    const searcher = author('store_searcher', {
      fields: { query: 'blue' },
      from: { store: 'StoreMaker-1.store', retriever: 'StoreMaker-1.retriever' },
    });
    const found = { data: { position: 1, text: 'blue' } };
    expect(await valueAt('StoreSearcher-1.found', [embeddings(), maker, searcher])).toEqual([found, found]);
  });

  test('compare texts by native embeddings', async () => {
    const user = author('embeddings_user', {
      fields: { texts: ['a', 'b', 'a'] },
      from: { embeddings: embeddingsOutput },
    });
    expect(await valueAt('EmbeddingsUser-1.compared', [embeddings(), user])).toEqual({
      data: { size: 32, equal: [true, false, true] },
    });
  });
});

describe('chat memories', () => {
  test('of Python are read by a native component', async () => {
    const reader: TestVertex = { id: 'Memory-1', from: { memory: 'OwnChatMemory-1.memory' } };
    expect(await valueAt('Memory-1.messages_text', [author('chat_memory'), reader])).toEqual({
      text: 'User: hello\nAI: Welcome',
    });
  });

  test('that are native are read and extended by Python', async () => {
    const user = author('memory_user', { fields: { text: 'now' }, from: { memory: fromGiven } });
    expect(
      await valueAt('MemoryUser-1.history', [given, user], giving(memoryHandle(new ListMemory()))),
    ).toEqual([
      { data: { type: 'human', text: 'before' } },
      { data: { type: 'human', text: 'now' } },
      { data: { type: 'ai', text: 'noted' } },
    ]);
  });
});

/** Resources with vectors in memory, compared by the cosine. */
function withVectors(): RunResources {
  const collections = new Map<string, readonly VectorDocument[]>();
  const documents = (name: string): readonly VectorDocument[] => collections.get(name) ?? [];
  const vectors: LocalVectors = {
    write: (name, more) => Promise.resolve(void collections.set(name, [...documents(name), ...more])),
    search: (name, { vector, limit }) =>
      Promise.resolve(
        documents(name)
          .map((document) => ({ document, similarity: cosine(vector, document.vector) }))
          .sort((a, b) => b.similarity - a.similarity)
          .slice(0, limit),
      ),
    list: (name, limit) => Promise.resolve(documents(name).slice(0, limit)),
    model: () => Promise.resolve(null),
    clear: (name) => Promise.resolve(collections.delete(name) ? 1 : 0),
  };
  return Object.create(noResources, { vectors: { value: vectors } }) as RunResources;
}

function cosine(a: readonly number[], b: readonly number[]): number {
  const product = (c: readonly number[], d: readonly number[]): number =>
    c.reduce((sum, number, index) => sum + number * (d[index] ?? 0), 0);
  return product(a, b) / Math.sqrt(product(a, a) * product(b, b));
}
