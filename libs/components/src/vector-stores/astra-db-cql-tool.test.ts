import { failureOf, node } from '../testing/flow-under-test.fixture';
import {
  fakeHandler,
  fetchFrom,
  serviceForAllTests,
  startFakeService,
} from '../integrations/http/fake-service.fixture';
import { callToolOf } from '../testing/tool-caller.fixture';

const rows = [
  { customer: 'c1', day: '2024-03-21', total: 5 },
  { customer: 'c1', day: '2024-03-22', total: 9 },
  { customer: 'c2', day: '2024-03-22', total: 7 },
];

/** Astra's REST API of one table, by keys in the path or by conditions. */
const table = fakeHandler(({ path, method, query, headers }) => {
  const found = /^\/api\/rest\/v2\/keyspaces\/shop\/orders\/(.*)$/.exec(path);
  if (found === null || method !== 'GET')
    return { status: 404, json: { description: 'Resource not found', code: 404 } };
  if (headers['x-cassandra-token'] !== 'AstraCS:good') {
    return {
      status: 401,
      json: { description: 'Role unauthorized for operation: token AstraCS:bad', code: 401 },
    };
  }
  const [customer = '', day = ''] = (found[1] ?? '').split('/');
  const where = JSON.parse(query.get('where') ?? '{}') as Record<string, Record<string, unknown>>;
  const data = rows
    .filter((row) => (customer === '' || row.customer === customer) && (day === '' || row.day === day))
    .filter((row) =>
      Object.entries(where).every(([name, one]) => (row as Record<string, unknown>)[name] === one['$eq']),
    )
    .slice(0, Number(query.get('page-size')))
    .map((row) =>
      query.has('fields')
        ? Object.fromEntries(
            Object.entries(row).filter(([name]) => query.get('fields')?.split(',').includes(name)),
          )
        : row,
    );
  return { json: { count: data.length, data } };
});

const astra = serviceForAllTests(() => startFakeService(table));

async function call(values: Readonly<Record<string, unknown>>, callArguments: Record<string, unknown>) {
  const provider = node('AstraDBCQLToolComponent-a', 'AstraDBCQLToolComponent', {
    tool_name: 'orders',
    tool_description: 'Finds orders.',
    api_endpoint: 'https://db.apps.astra.datastax.com',
    token: 'AstraCS:good',
    keyspace: 'shop',
    table_name: 'orders',
    ...values,
  });
  const access = fetchFrom({ 'db.apps.astra.datastax.com': astra });
  const { tools, result } = await callToolOf(provider, callArguments, {
    output: 'api_build_tool',
    fetch: access,
  });
  return { parameters: tools[0]?.parameters, answer: JSON.parse(String(result)) as unknown };
}

test('finds rows by the conditions of its table', async () => {
  const parameters = [
    { name: 'who', field_name: 'customer', description: 'The customer', mandatory: true, operator: '$eq' },
    { name: 'day', description: 'The day', mandatory: false, operator: '$eq' },
  ];
  expect(await call({ tools_params: parameters }, { who: 'c1', day: '2024-03-22' })).toMatchObject({
    parameters: { required: ['who'], properties: { who: { description: 'The customer' }, day: {} } },
    answer: [{ customer: 'c1', total: 9 }],
  });
  const fixed = { tools_params: parameters, static_filters: { customer: 'c2' } };
  expect(await call(fixed, { who: 'c1' })).toMatchObject({
    parameters: { required: [] },
    answer: [{ customer: 'c2' }],
  });
});

test('finds rows by the keys of earlier versions, with selected fields and a limit', async () => {
  const keys = { partition_keys: { customer: 'The customer' }, clustering_keys: { day: 'The day' } };
  expect(await call(keys, { customer: 'c1', day: '2024-03-22' })).toMatchObject({
    parameters: { required: ['customer'] },
    answer: [{ total: 9 }],
  });
  expect(
    await call({ ...keys, number_of_results: 1, projection_fields: 'day, total' }, { customer: 'c1' }),
  ).toMatchObject({
    answer: [{ day: '2024-03-21', total: 5 }],
  });
});

test('reports a wrong token without showing it', async () => {
  const failure = await failureOf(call({ token: 'AstraCS:bad' }, {}));
  expect(failure).toContain('Astra DB answered with status 401');
  expect(failure).not.toContain('AstraCS:bad');
});
