import { flow, node, runFlow, edge } from '../testing/flow-under-test.fixture';
import type { RunUnderTest } from '../testing/flow-under-test.fixture';
import { callTools, startModelServerUnderTest } from '../integrations/openai/openai-server.fixture';
import type { ModelServerUnderTest } from '../integrations/openai/openai-server.fixture';

let server: ModelServerUnderTest;
beforeEach(async () => {
  server = await startModelServerUnderTest();
});
afterEach(() => server.close());

interface SavedNode {
  readonly data: { readonly node: { icon?: string; display_name: string } };
}

const model = [{ name: 'gpt-4o-mini', provider: 'OpenAI', metadata: {} }];
const run = (document: unknown, stream = false): Promise<RunUnderTest> =>
  runFlow(document, {
    input: 'Moin',
    stream,
    variables: { OPENAI_BASE_URL: server.url, OPENAI_API_KEY: 'sk-stored' },
  });
/** The server answers each request with these tokens. */
const usage = (calls: number): unknown => ({
  input_tokens: 5 * calls,
  output_tokens: 3 * calls,
  total_tokens: 8 * calls,
});
const chain = (values: Readonly<Record<string, unknown>> = {}): unknown =>
  flow(
    [
      node('ChatInput-a', 'ChatInput'),
      node('Model-m', 'LanguageModelComponent', { model }),
      node('Model-n', 'LanguageModelComponent', { model }),
      node('ChatOutput-z', 'ChatOutput', values),
    ],
    [
      edge('ChatInput-a', 'message', 'Model-m', 'input_value'),
      edge('Model-m', 'text_output', 'Model-n', 'input_value'),
      edge('Model-n', 'text_output', 'ChatOutput-z', 'input_value'),
    ],
  );

test.each([false, true])(
  'a chat output shows the tokens of all models before it (streamed: %p)',
  async (stream) => {
    const { stored } = await run(chain(), stream);
    expect(stored.at(-1)?.fields.properties.usage).toEqual(usage(2));
  },
);

test('so does one that stores no message', async () => {
  const { result } = await run(chain({ should_store_message: false }));
  expect(result?.results).toMatchObject({ message: { properties: { usage: usage(2) } } });
});

test('the tokens of a structured output count, although its output is no message', async () => {
  server.answers.push(callTools(['OutputModel', { objects: [{ name: 'Ann' }] }]));
  const { stored } = await run(
    flow(
      [
        node('ChatInput-a', 'ChatInput'),
        node('StructuredOutput-s', 'StructuredOutput', {
          model,
          output_schema: [{ name: 'name', description: 'who', type: 'str', multiple: 'False' }],
        }),
        node('Parser-p', 'ParserComponent', { pattern: '{name}' }),
        node('ChatOutput-z', 'ChatOutput'),
      ],
      [
        edge('ChatInput-a', 'message', 'StructuredOutput-s', 'input_value'),
        edge('StructuredOutput-s', 'structured_output', 'Parser-p', 'input_data'),
        edge('Parser-p', 'parsed_text', 'ChatOutput-z', 'input_value'),
      ],
    ),
  );
  expect(stored.at(-1)).toMatchObject({ text: 'Ann', fields: { properties: { usage: usage(1) } } });
});

test('the tokens of an agent whose answer is streamed count for the message of its other output', async () => {
  const { stored } = await run(
    flow(
      [
        node('ChatInput-a', 'ChatInput'),
        node('Agent-g', 'Agent', { model, stream: true }),
        node('ChatOutput-y', 'ChatOutput'),
        node('ChatOutput-z', 'ChatOutput'),
      ],
      [
        edge('ChatInput-a', 'message', 'Agent-g', 'input_value'),
        edge('Agent-g', 'response', 'ChatOutput-y', 'input_value'),
        edge('Agent-g', 'structured_response', 'ChatOutput-z', 'input_value'),
      ],
    ),
    true,
  );
  const ofMachine = stored.filter(({ fields }) => fields.sender === 'Machine');
  expect(ofMachine.map(({ fields }) => fields.properties.usage)).toEqual([usage(1), usage(1)]);
});

test('models that do not lead to a chat output do not count for it', async () => {
  const { stored } = await run(
    flow(
      [
        node('ChatInput-a', 'ChatInput'),
        node('Model-m', 'LanguageModelComponent', { model }),
        node('ChatOutput-y', 'ChatOutput'),
        node('ChatOutput-z', 'ChatOutput'),
      ],
      [
        edge('ChatInput-a', 'message', 'Model-m', 'input_value'),
        edge('Model-m', 'text_output', 'ChatOutput-y', 'input_value'),
        edge('ChatInput-a', 'message', 'ChatOutput-z', 'input_value'),
      ],
    ),
  );
  const shown = stored.filter(({ fields }) => fields.sender === 'Machine');
  expect(shown.map(({ fields }) => fields.properties.usage)).toEqual(
    expect.arrayContaining([usage(1), null]),
  );
});

test('a streamed message shows the icon of its model, a whole one shows none', async () => {
  const document = chain() as { readonly data: { readonly nodes: readonly SavedNode[] } };
  for (const { data } of document.data.nodes) data.node.icon = 'brain-circuit';
  const icons = [];
  for (const stream of [true, false])
    icons.push((await run(document, stream)).stored.at(-1)?.fields.properties.icon);
  expect(icons).toEqual(['brain-circuit', null]);
});

test('the source of a message has the name of its component, not the one that its author gave the node', async () => {
  const sourceNames = [];
  for (const displayName of ['All lines', 'Parser']) {
    const parser = node('Parser-p', 'ParserComponent') as SavedNode;
    parser.data.node.display_name = displayName;
    const document = flow(
      [node('Webhook-a', 'Webhook'), parser, node('ChatOutput-z', 'ChatOutput')],
      [
        edge('Webhook-a', 'output_data', 'Parser-p', 'input_data'),
        edge('Parser-p', 'parsed_text', 'ChatOutput-z', 'input_value'),
      ],
    );
    const { stored } = await runFlow(document, { webhook: '{"text":"t"}' });
    sourceNames.push(stored.at(-1)?.fields.properties.source);
  }
  const source = { id: 'Parser-p', display_name: 'Parser', source: 'Parser' };
  expect(sourceNames).toEqual([source, source]);
});
