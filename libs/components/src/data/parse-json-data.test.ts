import { failureOf, flow, node, runFlow, wire } from '../flow-under-test.fixture';

const querying = (query: string, input: string): ReturnType<typeof runFlow> =>
  runFlow(
    flow(
      [node('ChatInput-a', 'ChatInput'), node('ParseJSONData-b', 'ParseJSONData', { query })],
      [wire('ChatInput-a', 'message', 'ParseJSONData-b', 'input_value')],
    ),
    { input, show: 'ParseJSONData-b' },
  );

test('gives data of each result, a text of what is no object', async () => {
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

test('takes data as it is', async () => {
  const document = flow(
    [node('Webhook-a', 'Webhook'), node('ParseJSONData-b', 'ParseJSONData', { query: '.a' })],
    [wire('Webhook-a', 'output_data', 'ParseJSONData-b', 'input_value')],
  );
  expect((await runFlow(document, { webhook: '{"a":{"b":1}}', show: 'ParseJSONData-b' })).text).toMatchObject(
    [{ data: { b: 1 } }],
  );
});

test('says what is wrong with a query', async () => {
  expect(await failureOf(querying('.a[', '{}'))).toContain('JSON Query error: syntax error');
});
