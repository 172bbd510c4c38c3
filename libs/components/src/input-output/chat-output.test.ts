import { defineComponent } from '@millrace/flow';
import { Message } from '@millrace/python-text';
import { failureOf, flow, node, runFlow, edge } from '../testing/flow-under-test.fixture';

const webhookToChat = (values: Record<string, unknown> = {}): unknown =>
  flow(
    [node('Webhook-a', 'Webhook'), node('ChatOutput-z', 'ChatOutput', values)],
    [edge('Webhook-a', 'output_data', 'ChatOutput-z', 'input_value')],
  );

test('a chat output shows data as a JSON block, and stores it as a message of the machine', async () => {
  const { text, stored } = await runFlow(webhookToChat(), { webhook: '{"a":1.0,"t":"ž"}' });
  expect(text).toBe('```json\n{\n  "a": 1.0,\n  "t": "ž"\n}\n```');
  expect(stored[0]?.fields).toMatchObject({
    sender: 'Machine',
    senderName: 'AI',
    properties: { source: { id: 'Webhook-a', display_name: 'Webhook', source: 'Webhook' } },
  });
});

test('a chat output shows a table in Markdown, and a list item by item', async () => {
  const document = flow(
    [
      node('Webhook-a', 'Webhook'),
      node('DataToDataFrame-b', 'DataToDataFrame'),
      node('ChatOutput-z', 'ChatOutput'),
    ],
    [
      edge('Webhook-a', 'output_data', 'DataToDataFrame-b', 'data_list'),
      edge('DataToDataFrame-b', 'dataframe', 'ChatOutput-z', 'input_value'),
    ],
  );
  expect((await runFlow(document, { webhook: '{"a":1}' })).text).toBe('|   a |\n|----:|\n|   1 |');
  const list = flow(
    [
      node('Webhook-a', 'Webhook'),
      node('UpdateData-b', 'UpdateData', { field_1_key: { b: 'x' } }),
      node('ChatOutput-z', 'ChatOutput'),
    ],
    [
      edge('Webhook-a', 'output_data', 'UpdateData-b', 'old_data'),
      edge('UpdateData-b', 'data', 'ChatOutput-z', 'input_value'),
    ],
  );
  expect((await runFlow(list, { webhook: '{"a":1}' })).text).toBe(
    '```json\n{\n  "a": 1,\n  "b": "x"\n}\n```',
  );
});

test.each([
  ['1.13', '| a         |\n|:----------|\n| x<br/>y\\| |'],
  ['1.11', '| a   |\n|:----|\n| x   |\n| y\\| |'],
] as const)(
  'a cell with several lines is one row or several, as in Langflow %s',
  async (langflow, expected) => {
    const document = flow(
      [
        node('Webhook-a', 'Webhook'),
        node('DataToDataFrame-b', 'DataToDataFrame'),
        node('ParserComponent-p', 'ParserComponent', { mode: 'Stringify' }),
        node('ChatOutput-y', 'ChatOutput'),
        node('ChatOutput-z', 'ChatOutput'),
      ],
      [
        edge('Webhook-a', 'output_data', 'DataToDataFrame-b', 'data_list'),
        edge('DataToDataFrame-b', 'dataframe', 'ChatOutput-y', 'input_value'),
        edge('DataToDataFrame-b', 'dataframe', 'ParserComponent-p', 'input_data'),
        edge('ParserComponent-p', 'parsed_text', 'ChatOutput-z', 'input_value'),
      ],
    );
    const { stored } = await runFlow(document, {
      webhook: '{"a":"x\\ny|"}',
      langflow,
    });
    expect(stored.map(({ text }) => text)).toEqual([expected, expected]);
  },
);

test.each([
  [true, '1.13', '| a       |\n|:--------|\n| x<br/>y |'],
  [false, '1.13', '| a            |\n|:-------------|\n| x<br/><br/>y |'],
  [true, '1.11', '| a   |\n|:----|\n| x   |\n|     |\n| y   |'],
] as const)('a chat output cleans a table (%p) as Langflow %s', async (clean_data, langflow, expected) => {
  const document = flow(
    [
      node('Webhook-a', 'Webhook'),
      node('DataToDataFrame-b', 'DataToDataFrame'),
      node('ChatOutput-z', 'ChatOutput', { clean_data }),
    ],
    [
      edge('Webhook-a', 'output_data', 'DataToDataFrame-b', 'data_list'),
      edge('DataToDataFrame-b', 'dataframe', 'ChatOutput-z', 'input_value'),
    ],
  );
  expect((await runFlow(document, { webhook: '{"a":"x\\n\\ny"}', langflow })).text).toBe(expected);
});

test('a chat output without an input fails', async () => {
  const run = runFlow(flow([node('ChatOutput-z', 'ChatOutput')]));
  expect(await failureOf(run)).toBe(
    'Error running graph: Error building Component Chat Output: \n\nInput data cannot be None',
  );
});

test.each([
  { should_store_message: false },
  // The name in a few old files.
  { should_store_message: null, store_message: false },
])('a chat output stores nothing with %p', async (values) => {
  const { stored, text } = await runFlow(webhookToChat({ ...values, sender_name: 'Silent' }), {
    webhook: 'x',
  });
  expect(text).toContain('payload');
  expect(stored).toEqual([]);
});

test('the nested data of a stored message have no source where the output stores nothing', async () => {
  const document = flow(
    [
      node('ChatInput-a', 'ChatInput'),
      node('Pass-b', 'Pass'),
      node('ChatOutput-z', 'ChatOutput', { should_store_message: false }),
    ],
    [
      edge('ChatInput-a', 'message', 'Pass-b', 'input_message'),
      edge('Pass-b', 'output_message', 'ChatOutput-z', 'input_value'),
    ],
  );
  const { result } = await runFlow(document, { input: 'hush' });
  expect(result?.results['message']).toMatchObject({
    data: { text: 'hush', sender: 'Machine', properties: { source: { id: null } } },
    properties: { source: { id: 'Pass-b', display_name: 'Pass' } },
  });
});

test('a stored message is stored again with the sender of the output', async () => {
  const document = flow(
    [
      node('ChatInput-a', 'ChatInput'),
      node('TypeConverterComponent-b', 'TypeConverterComponent'),
      node('ChatOutput-z', 'ChatOutput'),
    ],
    [
      edge('ChatInput-a', 'message', 'TypeConverterComponent-b', 'input_data'),
      edge('TypeConverterComponent-b', 'message_output', 'ChatOutput-z', 'input_value'),
    ],
  );
  const { stored } = await runFlow(document, { input: 'same text' });
  expect(stored.map(({ fields }) => [fields.sender, fields.text])).toEqual([
    ['User', 'same text'],
    ['Machine', 'same text'],
  ]);
  expect(new Set(stored.map(({ fields }) => fields.id)).size).toBe(2);
});

test('the text of a message comes once more in the steps of an agent, and in no other block', async () => {
  const block = (title: string) => ({
    title,
    contents: [{ type: 'text', duration: null, header: {}, text: title }],
    allow_markdown: true,
    media_url: null,
  });
  const contentBlocks = [block('Notes'), block('Agent Steps'), block('Sources')];
  const { properties } = new Message({ text: '' }).fields;
  const usage = { input_tokens: 1, output_tokens: 2, total_tokens: 3 };
  const source = defineComponent({
    type: 'Source',
    displayName: 'Source',
    description: 'Provides the message of the test.',
    inputs: {},
    outputs: { message: { types: ['Message'] } },
    deterministic: true,
    run: () => ({
      message: new Message({ text: 'done', contentBlocks, properties: { ...properties, usage } }),
    }),
  });
  const document = flow(
    [node('Source-a', 'Source'), node('ChatOutput-z', 'ChatOutput')],
    [edge('Source-a', 'message', 'ChatOutput-z', 'input_value')],
  );
  const { result } = await runFlow(document, { extraComponents: [source] });
  const { message } = result?.results as { readonly message: { readonly content_blocks: unknown } };
  expect(message.content_blocks).toMatchObject([
    { contents: [{ text: 'Notes' }] },
    { contents: [{ text: 'Agent Steps' }, { text: 'done', header: { title: 'Output' } }] },
    { contents: [{ text: 'Sources' }] },
  ]);
});
