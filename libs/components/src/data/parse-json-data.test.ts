import { failureOf, flow, node, runFlow, edge } from '../testing/flow-under-test.fixture';

const querying = (query: string, input: string): ReturnType<typeof runFlow> =>
  runFlow(
    flow(
      [node('ChatInput-a', 'ChatInput'), node('ParseJSONData-b', 'ParseJSONData', { query })],
      [edge('ChatInput-a', 'message', 'ParseJSONData-b', 'input_value')],
    ),
    { input, show: 'ParseJSONData-b' },
  );

test('returns data for each result, with a text for results that are not objects', async () => {
  const input = "{'people': [{'name': 'Eva'}, {'name': 'Jan'}],}";
  expect((await querying('.people[]', input)).text).toMatchObject([
    { data: { name: 'Eva' } },
    { data: { name: 'Jan' } },
  ]);
  expect((await querying('.people[].name, true', input)).text).toMatchObject([
    { data: { text: 'Eva' } },
    { data: { text: 'Jan' } },
    { data: { text: 'True' } },
  ]);
});

test('accepts data without parsing it', async () => {
  const document = flow(
    [node('Webhook-a', 'Webhook'), node('ParseJSONData-b', 'ParseJSONData', { query: '.a' })],
    [edge('Webhook-a', 'output_data', 'ParseJSONData-b', 'input_value')],
  );
  expect((await runFlow(document, { webhook: '{"a":{"b":1}}', show: 'ParseJSONData-b' })).text).toMatchObject(
    [{ data: { b: 1 } }],
  );
});

test('reports an invalid query', async () => {
  expect(await failureOf(querying('.a[', '{}'))).toContain('syntax error');
});
