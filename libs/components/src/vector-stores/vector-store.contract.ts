import { defineComponent, handle, listOf, text, isRetrieverHandle, isToolHandle } from '@millrace/flow';
import type { RunResources } from '@millrace/flow';
import { Data, DataFrame } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';
import { failureOf, flow, node, runFlow, edge } from '../testing/flow-under-test.fixture';
import type { RunUnderTest } from '../testing/flow-under-test.fixture';
import { startFakeService } from '../integrations/http/fake-service.fixture';
import type { FakeService } from '../integrations/http/fake-service.fixture';
import { createLettersHandler } from '../integrations/vector-stores/letters-embedding.fixture';

type Values = Readonly<Record<string, unknown>>;

/** An empty store under test. */
export interface StoreUnderTest {
  /** The fields of a node that uses it. */
  readonly values: Values;
  readonly resources?: RunResources;
  readonly fetch?: typeof fetch;
  close(): Promise<void>;
}

export interface StoreCase {
  readonly type: string;
  /** The error text for a vector of another size. */
  readonly mismatch: RegExp;
  /** The field with the key and a wrong key, for stores with keys. */
  readonly wrongKey?: Readonly<Record<string, string>>;
  /** The input for the embedding model, if not `embedding`. */
  readonly embeddingInput?: string;
  start(): Promise<StoreUnderTest>;
}

const documents = [
  { text: 'the cat sat on the mat', source: 'pets.txt', page: 1 },
  { text: 'a hydrogen bomb', source: 'physics.txt', page: 2 },
  { text: 'cats and mats', source: 'pets.txt', page: 3 },
];

const source = defineComponent({
  type: 'TextSource',
  displayName: 'Text Source',
  description: 'Gives the texts of a test.',
  inputs: { form: text() },
  outputs: { given: { types: ['Data'] } },
  deterministic: true,
  run: ({ form }) => ({
    given:
      form === 'table'
        ? new DataFrame(documents)
        : form === 'text'
          ? ['no data at all']
          : documents.map((document) => new Data(document)),
  }),
});

const caller = defineComponent({
  type: 'Caller',
  displayName: 'Caller',
  description: 'Searches the vector store that is connected to it.',
  inputs: { asked: listOf(handle()), query: text() },
  outputs: { answer: { types: ['Data'] } },
  deterministic: false,
  run: async ({ asked, query }) => {
    const answers: PythonValue[] = [];
    for (const one of asked) {
      if (isToolHandle(one)) answers.push([one.name, await one.call({ search_query: query })]);
      if (isRetrieverHandle(one)) answers.push([...(await one.search(query))]);
    }
    return { answer: answers };
  },
});

/** Returns the data of the results of a run. */
export function resultsOf(run: RunUnderTest): readonly Values[] {
  const { search_results: results } = run.result?.outputs ?? {};
  return (results?.message as { data: Values }[]).map(({ data }) => data);
}

/** What every vector store must do. */
export function describeVectorStore(name: string, given: StoreCase): void {
  describe(`the vector store ${name}`, () => {
    let letters: FakeService;
    let store: StoreUnderTest;
    beforeAll(async () => {
      letters = await startFakeService(createLettersHandler());
    });
    afterAll(() => letters.close());
    beforeEach(async () => {
      store = await given.start();
    });
    afterEach(() => store.close());

    const into = given.embeddingInput ?? 'embedding';

    interface Use {
      readonly values?: Values;
      readonly ingest?: 'data' | 'table' | 'text';
      readonly model?: string;
    }

    const parts = ({ values = {}, ingest, model = 'letters' }: Use) => {
      const embeddings = node('Embeddings-e', 'OpenAIEmbeddings', {
        model,
        openai_api_base: `${letters.url}/v1`,
        openai_api_key: 'embedding-key',
      });
      const used = node('Store-s', given.type, { ...store.values, ...values });
      const wires = [edge('Embeddings-e', 'embeddings', 'Store-s', into)];
      if (ingest === undefined) return { nodes: [embeddings, used], wires };
      return {
        nodes: [embeddings, used, node('TextSource-t', 'TextSource', { form: ingest })],
        wires: [...wires, edge('TextSource-t', 'given', 'Store-s', 'ingest_data')],
      };
    };
    const options = () => ({
      extraComponents: [source, caller],
      ...(store.resources === undefined ? {} : { resources: store.resources }),
      ...(store.fetch === undefined ? {} : { fetch: store.fetch }),
    });
    const use = (wanted: Use) => {
      const { nodes, wires } = parts(wanted);
      return runFlow(flow(nodes, wires), { show: 'Store-s', ...options() });
    };
    const find = async (search_query: string, values: Values = {}) =>
      resultsOf(await use({ values: { search_query, ...values } }));

    test('finds the texts that another run stored, nearest first, with their metadata', async () => {
      await use({ ingest: 'data' });
      const found = await find('cats mats', { number_of_results: 2 });
      expect(found.map((one) => one['text'])).toEqual(['cats and mats', 'the cat sat on the mat']);
      expect(found[0]).toMatchObject({ source: 'pets.txt', page: 3 });
      expect(await find('bomb', { number_of_results: 1 })).toMatchObject([
        { text: 'a hydrogen bomb', source: 'physics.txt', page: 2 },
      ]);
    });

    test('stores rows of a table, searches them in the same node, and returns a table', async () => {
      const run = await use({ ingest: 'table', values: { search_query: 'hydrogen', number_of_results: 1 } });
      expect(resultsOf(run)).toMatchObject([{ text: 'a hydrogen bomb' }]);
      const { dataframe } = run.result?.outputs ?? {};
      expect(dataframe?.message).toMatchObject([{ text: 'a hydrogen bomb', source: 'physics.txt', page: 2 }]);
    });

    test('a blank query finds nothing and is not embedded', async () => {
      await use({ ingest: 'data' });
      const before = letters.asked.length;
      expect(await find('  ')).toEqual([]);
      expect(letters.asked).toHaveLength(before);
    });

    test('rejects values that are not data', async () => {
      expect(await failureOf(use({ ingest: 'text' }))).toContain('Vector Store Inputs must be Data objects.');
    });

    test('rejects vectors of another size with a clear error', async () => {
      await use({ ingest: 'data' });
      const search = use({ values: { search_query: 'cat' }, model: 'few-letters' });
      expect(await failureOf(search)).toMatch(given.mismatch);
    });

    const { wrongKey } = given;
    if (wrongKey !== undefined) {
      test('reports a wrong key without showing it', async () => {
        const failure = await failureOf(use({ ingest: 'data', values: wrongKey }));
        expect(failure).toMatch(/status 40[13]/);
        for (const key of Object.values(wrongKey)) expect(failure).not.toContain(key);
      });
    }

    test('a language model searches it as a tool', async () => {
      await use({ ingest: 'data' });
      const { nodes, wires } = parts({ values: { number_of_results: 1 } });
      const document = flow(
        [...nodes, node('Caller-c', 'Caller', { query: 'bomb' })],
        [...wires, edge('Store-s', 'component_as_tool', 'Caller-c', 'asked')],
      );
      const { text: answer } = await runFlow(document, { show: 'Caller-c', ...options() });
      const [[tool, results], [table]] = answer as [[string, string], [string, string]];
      expect([tool, table]).toEqual(['search_documents', 'as_dataframe']);
      expect(results).toContain('a hydrogen bomb');
      expect(results).not.toContain('cats');
    });

    test('can be passed on and searched by another component', async () => {
      await use({ ingest: 'data' });
      for (const output of ['base_retriever', 'vector_store', 'vectorstoreconnection']) {
        const { nodes, wires } = parts({ values: { number_of_results: 1 } });
        const document = flow(
          [...nodes, node('Caller-c', 'Caller', { query: 'bomb' })],
          [...wires, edge('Store-s', output, 'Caller-c', 'asked')],
        );
        const { text: answer } = await runFlow(document, { show: 'Caller-c', ...options() });
        expect(answer).toMatchObject([[{ data: { text: 'a hydrogen bomb' } }]]);
      }
    });
  });
}
