import { startCohereServer } from '../integrations/models/embedding-services.fixture';
import { edge, failureOf, flow, node, runFlow } from '../testing/flow-under-test.fixture';
import { fetchFrom, serviceForAllTests, startFakeService } from '../integrations/http/fake-service.fixture';
import { parseTime } from '../integrations/astra/astra-parameters';
import { createAstraHandler } from '../integrations/astra/astra-server.fixture';
import { callToolOf } from '../testing/tool-caller.fixture';

const host = 'db.apps.astra.datastax.com';
let access: typeof fetch;

const send = (collection: string, command: object) =>
  fetch(`${astra.url}/api/json/v1/default_keyspace${collection}`, {
    method: 'POST',
    headers: { token: 'AstraCS:good', 'content-type': 'application/json' },
    body: JSON.stringify(command),
  });

const astra = serviceForAllTests(() => startFakeService(createAstraHandler()));
beforeAll(async () => {
  access = fetchFrom({ [host]: astra });
  const options = { vector: { service: { provider: 'nvidia', modelName: 'NV-Embed-QA' } } };
  await send('', { createCollection: { name: 'orders', options } });
  await send('/orders', {
    insertMany: {
      documents: [
        {
          _id: 'a',
          orderNumber: '1001',
          status: 'shipped',
          $vectorize: 'a red bike',
          metadata: { weight: 5 },
        },
        {
          _id: 'b',
          orderNumber: '1002',
          status: 'open',
          $vectorize: 'a green lamp',
          metadata: { weight: 7 },
        },
      ],
    },
  });
});

const settings = {
  tool_name: 'Order Lookup',
  tool_description: 'Finds orders.',
  api_endpoint: `https://${host}`,
  token: 'AstraCS:good',
  collection_name: 'orders',
};

async function call(values: Readonly<Record<string, unknown>>, callArguments: Record<string, unknown>) {
  const provider = node('AstraDBToolComponent-a', 'AstraDBToolComponent', { ...settings, ...values });
  const { tools, result } = await callToolOf(provider, callArguments, {
    output: 'api_build_tool',
    fetch: access,
  });
  return {
    name: tools[0]?.name,
    parameters: tools[0]?.parameters,
    answer: JSON.parse(String(result)) as { _id: string }[],
  };
}

test('finds documents by the attributes of earlier versions', async () => {
  const result = await call(
    { tool_params: { '!orderNumber': 'The number of the order' } },
    { orderNumber: '1002' },
  );
  expect(result.name).toBe('Order-Lookup');
  expect(result.parameters).toEqual({
    type: 'object',
    properties: { orderNumber: { type: 'string', description: 'The number of the order' } },
    required: ['orderNumber'],
  });
  expect(result.answer).toEqual([{ _id: 'b', orderNumber: '1002', status: 'open', metadata: { weight: 7 } }]);
});

test('finds documents by the rows of its table, and by fixed values', async () => {
  const row = {
    name: 'least',
    attribute_name: 'weight',
    metadata: 'True',
    mandatory: false,
    operator: '$gt',
  };
  const ids = async (values: object, callArguments: Record<string, unknown>) =>
    (await call({ ...values }, callArguments)).answer.map(({ _id }) => _id);
  expect(await ids({ tools_params_v2: [row] }, { least: '6' })).toEqual(['b']);
  expect(await ids({ tools_params_v2: [row] }, {})).toEqual(['a', 'b']);
  expect(await ids({ static_filters: { status: 'shipped' } }, { status: 'open' })).toEqual(['a']);
  const several = { name: 'status', operator: '$in', mandatory: true };
  expect(await ids({ tools_params_v2: [several] }, { status: 'open,lost' })).toEqual(['b']);
});

test('searches by the meaning of a text', async () => {
  const values = { use_search_query: true, use_vectorize: true, number_of_results: 1 };
  const result = await call(values, { search_query: 'green lamp' });
  expect(result.parameters).toMatchObject({ required: ['search_query'] });
  expect(result.answer).toMatchObject([{ _id: 'b' }]);
  expect(await failureOf(call({ use_search_query: true }, { search_query: 'x' }))).toContain(
    'Embedding model is not set. Please set the embedding model or use Astra DB Vectorize.',
  );
});

test('a connected model gets the purpose of the embedding, a query', async () => {
  const cohere = await startCohereServer();
  await send('', { createCollection: { name: 'cohered', options: { vector: { dimension: 3 } } } });
  const provider = node('AstraDBToolComponent-a', 'AstraDBToolComponent', {
    ...settings,
    collection_name: 'cohered',
    use_search_query: true,
  });
  await callToolOf(
    provider,
    { search_query: 'lamp' },
    {
      output: 'api_build_tool',
      beside: {
        nodes: [node('CohereEmbeddings-e', 'CohereEmbeddings', { api_key: 'a-key' })],
        edges: [edge('CohereEmbeddings-e', 'embeddings', 'AstraDBToolComponent-a', 'embedding')],
      },
      fetch: fetchFrom({ [host]: astra, 'api.cohere.com': cohere }),
    },
  );
  await cohere.close();
  expect(astra.asked.at(-1)?.json).toMatchObject({ find: { sort: { $vector: [4, 108, 1] } } });
});

test('returns documents without a model', async () => {
  const document = flow([node('AstraDBToolComponent-a', 'AstraDBToolComponent', settings)]);
  const { result } = await runFlow(document, { show: 'AstraDBToolComponent-a', fetch: access });
  expect(result?.outputs['api_run_model']?.message).toHaveLength(2);
});

test.each([
  ['2024-03-21', '2024-03-21T00:00:00.000Z'],
  ['2024-03-21T15:30:00', '2024-03-21T15:30:00.000Z'],
  ['2024-03-21T15:30:00+0200', '2024-03-21T13:30:00.000Z'],
  ['2024-03-21 15:30:00', '2024-03-21T15:30:00.000Z'],
  ['21/03/2024', '2024-03-21T00:00:00.000Z'],
  ['2024/03/21', '2024-03-21T00:00:00.000Z'],
])('reads the time %s', (text, moment) => {
  expect(new Date(parseTime(text)).toISOString()).toBe(moment);
});

test('reports an invalid time', () => {
  expect(() => parseTime('soon')).toThrow('Could not parse date: soon');
});
