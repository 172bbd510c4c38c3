import { failureOf, flow, node, runFlow, edge } from '../testing/flow-under-test.fixture';
import { startFakeService } from '../integrations/http/fake-service.fixture';
import { createChromaHandler } from '../integrations/chroma/chroma-server.fixture';
import { createLettersHandler } from '../integrations/vector-stores/letters-embedding.fixture';
import { resourcesWithVectors } from '../testing/local-vectors.fixture';
import { describeVectorStore, resultsOf } from './vector-store.contract';

describeVectorStore('Chroma in the installation itself', {
  type: 'Chroma',
  mismatch: /holds vectors of 26 dimensions; one of 8 does not fit/,
  start: () =>
    Promise.resolve({
      values: { persist_directory: './db', collection_name: 'pets' },
      resources: resourcesWithVectors(),
      close: () => Promise.resolve(),
    }),
});

describe.each(['v1', 'v2'] as const)('on a server', (version) => {
  describeVectorStore(`Chroma with the interface ${version}`, {
    type: 'Chroma',
    mismatch: /Chroma answered with status 400.*dimension of 26, got 8/,
    start: async () => {
      const service = await startFakeService(createChromaHandler({ version }));
      const { hostname, port } = new URL(service.url);
      return {
        values: {
          collection_name: 'pets',
          chroma_server_host: hostname,
          chroma_server_http_port: Number(port),
        },
        close: () => service.close(),
      };
    },
  });
});

describe('existing texts', () => {
  const csv_string = 'text,kind\nthe cat,pet\nthe dog,pet';

  test.each([
    ['in the installation', false],
    ['on a server', true],
  ])('%s does not store a text again unless duplicates are allowed', async (_place, remote) => {
    const letters = await startFakeService(createLettersHandler());
    const chroma = await startFakeService(createChromaHandler());
    const resources = resourcesWithVectors();
    const use = async (values: Readonly<Record<string, unknown>>, ingests: boolean) => {
      const nodes = [
        node('Embeddings-e', 'OpenAIEmbeddings', {
          model: 'letters',
          openai_api_base: `${letters.url}/v1`,
          openai_api_key: 'embedding-key',
        }),
        node('Chroma-c', 'Chroma', { ...(remote ? { chroma_server_host: chroma.url } : {}), ...values }),
        ...(ingests ? [node('CSVtoData-c', 'CSVtoData', { csv_string })] : []),
      ];
      const wires = [
        edge('Embeddings-e', 'embeddings', 'Chroma-c', 'embedding'),
        ...(ingests ? [edge('CSVtoData-c', 'data_list', 'Chroma-c', 'ingest_data')] : []),
      ];
      return resultsOf(await runFlow(flow(nodes, wires), { show: 'Chroma-c', resources }));
    };
    await use({}, true);
    await use({}, true);
    const cat = { search_query: 'cat' };
    expect(await use(cat, false)).toHaveLength(2);
    await use({ allow_duplicates: true }, true);
    expect(await use(cat, false)).toHaveLength(4);
    const both = { search_query: 'the cat dog', number_of_results: 2 };
    const texts = async (values: Readonly<Record<string, unknown>>) =>
      (await use(values, false)).map((found) => found['text']);
    expect(await texts(both)).toEqual(['the dog', 'the dog']);
    expect(await texts({ ...both, search_type: 'MMR' })).toEqual(['the dog', 'the cat']);
    await letters.close();
    await chroma.close();
  });
});

test('reports an invalid address', async () => {
  const document = flow([
    node('Chroma-c', 'Chroma', { chroma_server_host: 'ftp://chroma', search_query: 'cat' }),
  ]);
  expect(await failureOf(runFlow(document, { show: 'Chroma-c' }))).toContain(
    'The address of Chroma is not a web address.',
  );
});
