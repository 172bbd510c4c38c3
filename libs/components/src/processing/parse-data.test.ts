import { failureOf, flow, node, runFlow, edge } from '../testing/flow-under-test.fixture';

const parsing = (values: Record<string, unknown>): unknown =>
  flow(
    [
      node('Webhook-a', 'Webhook'),
      node('ParseData-p', 'ParseData', values),
      node('ChatOutput-z', 'ChatOutput'),
    ],
    [
      edge('Webhook-a', 'output_data', 'ParseData-p', 'data'),
      edge('ParseData-p', 'text', 'ChatOutput-z', 'input_value'),
    ],
  );

test('fills in a template with data; missing values stay empty', async () => {
  const run = runFlow(parsing({ template: '{name} -> {city}' }), { webhook: '{"name":"A"}' });
  expect((await run).text).toBe('A -> ');
});

test('an object under the key "data" is merged over the rest', async () => {
  const run = runFlow(parsing({ template: '{a}{b}' }), { webhook: '{"a":1,"data":{"b":2}}' });
  expect((await run).text).toBe('12');
});

test('returns each item with its text as well', async () => {
  const document = flow(
    [
      node('Webhook-a', 'Webhook'),
      node('ParseData-p', 'ParseData', { template: '<{name}>' }),
      node('SelectData-s', 'SelectData'),
    ],
    [
      edge('Webhook-a', 'output_data', 'ParseData-p', 'data'),
      edge('ParseData-p', 'data_list', 'SelectData-s', 'data_list'),
    ],
  );
  const { result } = await runFlow(document, { webhook: '{"name":"A"}', show: 'ParseData-p' });
  expect(result?.outputs['data_list']).toMatchObject({ message: [{ data: { name: 'A', text: '<A>' } }] });
  expect(result?.artifacts['data_list']).toMatchObject({
    repr: "[JSON(text_key='text', data={'name': 'A', 'text': '<A>'}, default_value='')]",
  });
});

test('the artifact of each output is that of its own method', async () => {
  const document = flow(
    [
      node('Webhook-a', 'Webhook'),
      node('ParseData-p', 'ParseData', { template: '<{name}>' }),
      node('SelectData-s', 'SelectData'),
      node('ChatOutput-z', 'ChatOutput'),
    ],
    [
      edge('Webhook-a', 'output_data', 'ParseData-p', 'data'),
      edge('ParseData-p', 'data_list', 'SelectData-s', 'data_list'),
      edge('ParseData-p', 'text', 'ChatOutput-z', 'input_value'),
    ],
  );
  const { result } = await runFlow(document, { webhook: '{"name":"A"}', show: 'ParseData-p' });
  expect(result?.artifacts).toMatchObject({
    text: { repr: '<A>', raw: '<A>', type: 'text' },
    data_list: {
      repr: "[JSON(text_key='text', data={'name': 'A', 'text': '<A>'}, default_value='')]",
      type: 'array',
    },
  });
});

test('reports what is wrong with a template', async () => {
  expect(await failureOf(runFlow(parsing({ template: '{' }), { webhook: '{}' }))).toContain(
    "Error formatting template: Single '{' encountered in format string",
  );
});
