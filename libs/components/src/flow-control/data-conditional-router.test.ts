import { flow, node, runFlow, edge } from '../testing/flow-under-test.fixture';

const both = ['true', 'false'] as const;

/** Returns the text that arrives at each side, with one webhook vertex for each payload. */
async function sides(
  settings: Readonly<Record<string, unknown>>,
  payloads: readonly string[],
): Promise<Readonly<Record<string, unknown>>> {
  const sources = payloads.map((_, index) => `Webhook-${index}`);
  const document = flow(
    [
      ...sources.map((id) => node(id, 'Webhook')),
      node('DataConditionalRouter-r', 'DataConditionalRouter', { key_name: 'kind', ...settings }),
      ...both.map((side) => node(`ParseData-${side}`, 'ParseData', { template: '{n}' })),
      ...both.map((side) => node(`ChatOutput-${side}`, 'ChatOutput')),
    ],
    [
      ...sources.map((id) => edge(id, 'output_data', 'DataConditionalRouter-r', 'data_input')),
      ...both.map((side) => edge('DataConditionalRouter-r', `${side}_output`, `ParseData-${side}`, 'data')),
      ...both.map((side) => edge(`ParseData-${side}`, 'text', `ChatOutput-${side}`, 'input_value')),
    ],
  );
  const tweaks = Object.fromEntries(sources.map((id, index) => [id, { data: payloads[index] }]));
  const { stored } = await runFlow(document, { tweaks });
  return Object.fromEntries(
    stored.map((message) => [message.fields.properties.source.id?.replace('ParseData-', ''), message.text]),
  );
}

test.each([
  ['equals', 'a', '"a"', '"ab"'],
  ['not equals', 'a', '"ab"', '"a"'],
  ['contains', 'a', '"xax"', '"b"'],
  ['starts with', 'a', '"ab"', '"ba"'],
  ['ends with', 'a', '"ba"', '"ab"'],
  ['boolean validator', '', '"Yes"', '"no"'],
  ['boolean validator', '', 'true', 'false'],
  ['equals', '1', '1', '1.5'],
])('%s %p is true for %s and false for %s', async (operator, compare_value, fitting, other) => {
  const settings = { operator, compare_value };
  expect(await sides(settings, [`{"kind":${fitting},"n":1}`])).toEqual({ true: '1' });
  expect(await sides(settings, [`{"kind":${other},"n":2}`])).toEqual({ false: '2' });
});

test('routes each of several items', async () => {
  const payloads = ['{"kind":"a","n":1}', '{"kind":"b","n":2}', '{"kind":"a","n":3}'];
  expect(await sides({ compare_value: 'a' }, payloads)).toEqual({ true: '1\n3', false: '2' });
});

test('omits items without the key; if none is left, the false side gets an empty list', async () => {
  expect(await sides({ compare_value: 'a' }, ['{"n":1}', '{"kind":"a","n":2}'])).toEqual({ true: '2' });
  expect(await sides({ compare_value: 'a' }, ['{"n":1}'])).toEqual({ false: '' });
});

test.each([
  ['{"kind":"a"}', 'Condition met: kind equals a'],
  ['{"kind":"b"}', 'Condition not met: kind equals a'],
  ['{"n":1}', "Key 'kind' not found in Data"],
])('shows for %s what it compared', async (payload, status) => {
  const document = flow(
    [
      node('Webhook-a', 'Webhook', { data: payload }),
      node('DataConditionalRouter-r', 'DataConditionalRouter', { key_name: 'kind', compare_value: 'a' }),
    ],
    [edge('Webhook-a', 'output_data', 'DataConditionalRouter-r', 'data_input')],
  );
  const { result } = await runFlow(document, { show: 'DataConditionalRouter-r' });
  expect(Object.values(result?.artifacts ?? {})).toContainEqual({ repr: status, raw: status, type: 'text' });
});
