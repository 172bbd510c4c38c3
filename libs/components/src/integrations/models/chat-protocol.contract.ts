import { toolNode } from '../../testing/tool-node.fixture';
import { failureOf, flow, node, runFlow, edge } from '../../testing/flow-under-test.fixture';
import type { RunOptions, RunUnderTest } from '../../testing/flow-under-test.fixture';
import type { FakeService } from '../http/fake-service.fixture';
import { fileOwner, filesUnderTest } from '../../testing/run-files.fixture';

export interface ChatProtocolCase {
  /** The provider's name in flow files. */
  readonly provider: string;
  /** Starts a server that implements the protocol and answers by the rules of `answerByRule`. */
  readonly start: () => Promise<FakeService>;
  /** The variables with the server's address and a key. */
  readonly variables: (url: string, key: string) => Readonly<Record<string, string>>;
  /** Returns a node with the model, for a provider that cannot be selected by name. */
  readonly modelNode?: (url: string, key: string) => unknown;
  /** Routes requests to the server where the address is fixed. */
  readonly fetch?: (service: FakeService) => typeof fetch;
  /** The usage of each answer. */
  readonly usage: {
    readonly input_tokens: number;
    readonly output_tokens: number;
    readonly total_tokens: number;
  };
  /** The error text for the key "wrong". */
  readonly wrongKey: string;
}

interface FlowFile {
  readonly data: {
    readonly nodes: readonly {
      readonly id: string;
      readonly data: { readonly node: { readonly template: object } };
    }[];
    readonly edges: readonly unknown[];
  };
}

/** What every protocol must do, whichever component uses the model. */
export function describeChatProtocol(given: ChatProtocolCase): void {
  let service: FakeService;
  beforeAll(async () => {
    service = await given.start();
  });
  afterAll(() => service.close());

  const model =
    given.modelNode === undefined ? [{ name: 'some-model', provider: given.provider, metadata: {} }] : '';
  const ask = (document: unknown, options: RunOptions = {}, key = 'a-key'): Promise<RunUnderTest> =>
    runFlow(withModel(document, key), {
      variables: given.variables(service.url, key),
      ...(given.fetch === undefined ? {} : { fetch: given.fetch(service) }),
      ...options,
    });
  const withModel = (document: unknown, key: string): unknown => {
    if (given.modelNode === undefined) return document;
    const { nodes, edges } = (document as FlowFile).data;
    const added = given.modelNode(service.url, key) as { readonly id: string };
    const asked = nodes.find(({ data }) => 'model' in data.node.template)?.id ?? '';
    return flow([added, ...nodes], [edge(added.id, 'model_output', asked, 'model'), ...edges]);
  };
  const between = (asked: unknown, output: string): unknown => {
    const { id } = asked as { readonly id: string };
    return flow(
      [node('ChatInput-a', 'ChatInput', { files: '' }), asked, node('ChatOutput-z', 'ChatOutput')],
      [edge('ChatInput-a', 'message', id, 'input_value'), edge(id, output, 'ChatOutput-z', 'input_value')],
    );
  };
  const plain = (values: Readonly<Record<string, unknown>> = {}): unknown =>
    between(node('Model-m', 'LanguageModelComponent', { model, ...values }), 'text_output');
  const agent = (values: Readonly<Record<string, unknown>> = {}): unknown => {
    const { data } = between(
      node('Agent-g', 'Agent', { model, system_prompt: 'Be brief.', add_calculator_tool: false, ...values }),
      'response',
    ) as { readonly data: { readonly nodes: readonly unknown[]; readonly edges: readonly unknown[] } };
    return flow(
      [toolNode('Calc-t', 'CalculatorComponent'), ...data.nodes],
      [...data.edges, edge('Calc-t', 'component_as_tool', 'Agent-g', 'tools')],
    );
  };

  test('returns a whole answer and its usage', async () => {
    const { text, stored } = await ask(plain({ system_message: 'Be brief.' }), { input: 'Moin' });
    expect(text).toBe('You said Moin; instructions: Be brief.');
    expect(stored[1]?.fields.properties.usage).toEqual(given.usage);
  });

  test('streams an answer', async () => {
    const { text, events, stored } = await ask(plain(), { input: 'one two three', stream: true });
    const tokens = events.flatMap((event) => (event.event === 'token' ? [event.data.chunk] : []));
    expect(tokens).toEqual(['You', ' said', ' one', ' two', ' three']);
    expect(text).toBe('You said one two three');
    expect(stored[1]?.fields.properties.usage).toEqual(given.usage);
  });

  test('sends only instructions when there is no input', async () => {
    const { text } = await ask(plain({ system_message: 'Tell a story.' }), { input: '' });
    expect(text).toMatch(/^You said .*Tell a story\.$/);
  });

  test.each([false, true])(
    'an agent calls tools and receives their results (streamed: %p)',
    async (stream) => {
      const input = 'call evaluate_expression {"expression":"6*7"}';
      const { text, stored } = await ask(agent({ stream }), { input, stream });
      expect(text).toBe('The tools said {"result": "42"}');
      expect(stored[1]?.fields).toMatchObject({
        contentBlocks: [
          {
            contents: [
              { name: 'evaluate_expression', tool_input: { expression: '6*7' }, error: null },
              { type: 'text', text },
              { type: 'text', text },
            ],
          },
        ],
        properties: { usage: { total_tokens: 2 * given.usage.total_tokens } },
      });
    },
  );

  test('an agent continues an earlier session', async () => {
    const first = await ask(agent(), { input: 'first' });
    const { text } = await ask(agent(), { input: 'second', history: first.stored });
    expect(text).toBe('You said second; instructions: Be brief.');
  });

  test('returns objects of a given shape', async () => {
    const shaped = node('StructuredOutput-s', 'StructuredOutput', {
      model,
      output_schema: [
        { name: 'city', description: 'Where', type: 'str', multiple: 'False' },
        { name: 'days', description: 'How long', type: 'int', multiple: 'False' },
      ],
    });
    const input = '{"objects":[{"city":"Oslo","days":3}]}';
    const { text } = await ask(between(shaped, 'structured_output'), { input });
    expect(String(text)).toContain('"city": "Oslo"');
    expect(String(text)).toContain('"days": 3');
  });

  test('sends the images and the texts of the files of a message to the model, and reports a missing one', async () => {
    const { resources } = filesUnderTest({
      'wheel.png': Buffer.from([137, 80, 78, 71]),
      'notes.txt': 'round',
    });
    const look = (files: readonly string[]): Promise<RunUnderTest> =>
      ask(plain(), { input: 'look', resources, tweaks: { 'ChatInput-a': { files } } });
    expect((await look([`${fileOwner}/wheel.png`, `${fileOwner}/notes.txt`])).text).toMatch(
      /^You said look\n?File 'notes\.txt' contents:\nround with 1 image\(s\)$/,
    );
    expect(await failureOf(look([`${fileOwner}/missing.png`]))).toContain('missing.png');
  });

  test('reports the error of the provider for a wrong key, without the key', async () => {
    const failure = await failureOf(ask(plain(), { input: 'q' }, 'wrong'));
    expect(failure).toContain(given.wrongKey);
  });
}
