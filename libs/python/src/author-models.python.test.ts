import type { ToolHandle } from '@millrace/flow';
import { Data } from '@millrace/python-text';
import type { Message } from '@millrace/python-text';
import { show } from './testing/author-component.fixture';
import {
  given,
  giving,
  modelOutput,
  openAuthorSuite,
  shownOf,
  tokensOf,
} from './testing/author-suite.fixture';
import type { TestVertex } from './testing/python-flow.fixture';

const { author, run, valueAt, failureOf, model } = openAuthorSuite();

const addOne: ToolHandle = {
  kind: 'tool',
  name: 'add_one',
  description: 'Adds one.',
  parameters: { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] },
  call: ({ a }) => Promise.resolve(String(Number(a) + 1)),
};
const chatInput: TestVertex = { id: 'ChatInput-1' };
const chatOutput = (from: string): TestVertex => ({ id: 'ChatOutput-1', from: { input_value: from } });
const fromChat = 'ChatInput-1.message';

describe('a native model in Python', () => {
  const from = { llm: modelOutput };

  test.each<[string, string, () => readonly TestVertex[], unknown]>([
    [
      'is awaited by build',
      'OldModelCaller-1.text',
      () => [author('old_model_caller', { fields: { question: 'hi' }, from })],
      'Q: hi',
    ],
    [
      'is a part of a chain of another component',
      'ChainUser-1.answer',
      () => [
        author('old_chain', {
          fields: { template: 'about {topic}' },
          from,
          outputs: [{ name: 'runnable', display_name: 'Runnable', method: null, types: ['Runnable'] }],
        }),
        author('chain_user', { fields: { topic: 'rain' }, from: { chain: 'OldChain-1.runnable' } }),
      ],
      { text: 'about rain' },
    ],
    [
      'gives a structure',
      'JsonExtractor-1.order',
      () => [author('json_extractor', { fields: { text: '3 apples' }, from })],
      { data: { product: '3 apples', amount: 3 } },
    ],
    [
      'calls a tool that is bound to it',
      'ModelLoop-1.answer',
      () => [
        author('model_loop', { fields: { question: '[[call=price_of with="product=tea"]] price' }, from }),
      ],
      { text: 'tea costs 3' },
    ],
    [
      'answers a batch with callbacks',
      'CallbackCounter-1.answers',
      () => [author('callback_counter', { fields: { words: ['a', 'b'] }, from })],
      { data: { answers: ['say a', 'say b'], starts: 2, counted: true } },
    ],
    [
      'answers the base class of chains',
      'TranslateChain-1.text',
      () => [author('chain_component', { fields: { input_value: 'word' }, from })],
      { text: 'IN CAPITALS: WORD' },
    ],
    [
      'gets an image',
      'ImageQuestion-1.answer',
      () => [author('image_question', { from })],
      { text: 'what is on the picture?' },
    ],
    [
      'is parsed by a parser of another component',
      'ParserUser-1.items',
      () => [
        author('output_parser'),
        author('parser_user', { fields: { text: 'a, b' }, from: { ...from, parser: 'ListParser-1.parser' } }),
      ],
      [{ data: { text: 'a' } }, { data: { text: 'b' } }],
    ],
  ])('%s', async (_title, output, vertices, value) => {
    expect(await valueAt(output, [model(), ...vertices()])).toEqual(value);
  });

  test('orders search results', async () => {
    const rerank = author('reranker', {
      fields: { query: 'q' },
      from: { ...from, results: ['Given-1.value'] },
    });
    const found = ['first', 'second', 'third'].map((text) => new Data({ text }));
    expect(await valueAt('Reranker-1.ranked', [model(), given, rerank], giving(found))).toEqual([
      { data: { text: 'third', rank: 1 } },
      { data: { text: 'first', rank: 2 } },
    ]);
  });

  test('streams into the chat', async () => {
    const streamed = author('streamed_answer', { fields: { question: 'one two three' }, from });
    const outcome = await run([model(), streamed, chatOutput('StreamedAnswer-1.answer')]);
    expect(tokensOf(outcome)).toEqual(['one', ' two', ' three']);
    expect(outcome.stored.map(({ text }) => text)).toEqual(['one two three']);
  });
});

describe('a model of Python', () => {
  test('answers by its own component', async () => {
    const mirror = author('model_component', { fields: { input_value: 'hi', system_message: 'sys' } });
    expect(await valueAt('MirrorModel-1.text_output', [mirror])).toEqual({ text: 'Mirror 2: hi' });
  });

  test('streams by its own component', async () => {
    const mirror = author('model_component', { fields: { input_value: 'hi there', stream: true } });
    const outcome = await run([mirror, chatOutput('MirrorModel-1.text_output')]);
    expect(tokensOf(outcome).join('')).toBe('Mirror 1: hi there ');
  });

  test.each([
    ['model_component', 'MirrorModel-1.model_output', 'Mirror 1: abc'],
    ['completion_model', 'CompletionModel-1.model', 'cba :namuH'],
  ])('%s answers a native component', async (name, output, text) => {
    const user: TestVertex = {
      id: 'LanguageModelComponent-1',
      fields: { input_value: 'abc' },
      from: { model: output },
    };
    expect(await valueAt('LanguageModelComponent-1.text_output', [author(name), user])).toEqual({ text });
  });

  const agent = (source: string, tools: readonly string[]): TestVertex => ({
    id: 'Agent-1',
    fields: { add_current_date_tool: false },
    from: { input_value: fromChat, model: source, tools },
  });

  test('calls a tool for a native agent', async () => {
    const outcome = await run(
      [
        chatInput,
        author('tool_calling_model'),
        author('tool_component'),
        agent('ToolCallingModel-1.model', ['ShopTool-1.api_build_tool']),
        chatOutput('Agent-1.response'),
      ],
      { input: 'buy' },
    );
    expect(outcome.stored.at(-1)?.text).toContain('2 Rome');
    expect(toolCallsOf(outcome.stored.at(-1))).toMatchObject([
      { type: 'tool_use', name: 'search_shop', tool_input: { product: 'Rome' } },
    ]);
  });

  test('without tools has a clear error in a native agent', async () => {
    const error = await failureOf(
      [
        chatInput,
        author('model_component'),
        given,
        agent('MirrorModel-1.model_output', ['Given-1.value']),
        chatOutput('Agent-1.response'),
      ],
      { input: 'hello', ...giving(addOne) },
    );
    expect(error.message).toContain('The model MirrorModel cannot call tools.');
  });
});

/** Returns the tool calls that the message of a native agent shows. */
function toolCallsOf(message: Message | undefined): readonly unknown[] {
  const blocks = (message?.fields.contentBlocks ?? []) as readonly {
    readonly contents: readonly { readonly type: string }[];
  }[];
  return blocks.flatMap(({ contents }) => contents.filter(({ type }) => type === 'tool_use'));
}

describe('tools of Python', () => {
  const agent = (tools: readonly string[]): TestVertex => ({
    id: 'Agent-1',
    from: { input_value: fromChat, model: modelOutput, tools },
  });
  const stepsOf = async (vertex: TestVertex, output: string, input: string): Promise<unknown> => {
    const vertices = [chatInput, model(), vertex, agent([output]), chatOutput('Agent-1.response')];
    const { stored } = await run(vertices, { input });
    return toolCallsOf(stored.at(-1));
  };

  test('in tool mode are called by a native agent with their arguments', async () => {
    const steps = await stepsOf(
      author('tool_mode', { tools: true }),
      'Weather-1.component_as_tool',
      '[[call=weather_forecast with="city=Rome; days=2"]] go',
    );
    expect(steps).toMatchObject([
      {
        name: 'weather_forecast',
        tool_input: { city: 'Rome', days: 2, unit: 'C' },
        output: { content: '{"city": "Rome", "days": ["day 0", "day 1"]}' },
        error: null,
      },
    ]);
  });

  test('that fail are an error of their step', async () => {
    const steps = await stepsOf(
      author('tool_mode', { tools: true }),
      'Weather-1.component_as_tool',
      '[[call=weather_forecast with="city=Rome; days=11"]] go',
    );
    expect(JSON.stringify(steps)).toContain('11 days are too many');
  });

  test('of a toolkit answer their own errors', async () => {
    const steps = await stepsOf(author('toolkit'), 'Toolkit-1.tools', '[[call=broken with="reason=old"]] go');
    expect(steps).toMatchObject([{ name: 'broken', output: { content: 'It is broken: old' } }]);
  });

  test('and native ones are called by a component', async () => {
    const value = { a: 1, product: 'tea', formal: true, reason: 'old' };
    const user = author('tool_user', {
      from: { tools: ['Given-1.value', 'ShopTool-1.api_build_tool', 'Toolkit-1.tools'] },
      fields: { arguments: { type: 'NestedDict', value } },
    });
    const vertices = [given, author('tool_component'), author('toolkit'), user];
    expect(await valueAt('ToolUser-1.results', vertices, giving(addOne))).toEqual({
      data: {
        add_one: '2',
        search_shop: [{ data: { text: '1 tea', available: true } }],
        who: 'Dear Ann',
        broken: 'It is broken: old',
      },
    });
  });

  test('of one text argument, and a native component in tool mode', async () => {
    const value = { tool_input: 'hey', __arg1: 'hey', expression: '2*3' };
    const user = author('tool_user', {
      from: { tools: ['OldTool-1.tool', 'CalculatorComponent-1.component_as_tool'] },
      fields: { arguments: { type: 'NestedDict', value } },
    });
    const vertices = [author('old_tool'), { id: 'CalculatorComponent-1' }, user];
    expect(await valueAt('ToolUser-1.results', vertices)).toEqual({
      data: { 'Shout Tool': 'HEY!', evaluate_expression: '{"result": "6"}' },
    });
  });

  test('are data by the other output', async () => {
    expect(
      await valueAt('ShopTool-1.api_run_model', [author('tool_component', { fields: { product: 'tea' } })]),
    ).toEqual([{ data: { text: '1 tea', available: true } }]);
  });
});

describe('an agent in Python', () => {
  const own = (from: Readonly<Record<string, string | readonly string[]>>, input = ''): TestVertex =>
    author('agent_component', {
      fields: { input_value: input },
      from: { llm: modelOutput, tools: ['Given-1.value', 'ShopTool-1.api_build_tool'], ...from },
    });

  test.each([
    ['[[call=add_one with="a=4"]] add', '5'],
    ['[[call=search_shop with="product=tea; amount=2"]] buy', '2 tea'],
  ])('calls the tool of %s', async (input, text) => {
    const vertices = [model(), given, author('tool_component'), own({}, input)];
    const value = await valueAt('OwnToolAgent-1.response', vertices, giving(addOne));
    expect((value as { readonly text: string }).text).toContain(text);
  });

  test('of the base class calls its own tool', async () => {
    const agent = author('plain_agent', {
      fields: { input_value: '[[call=word_count with="text=one two three"]] count' },
      from: { llm: modelOutput },
    });
    const value = await valueAt('CountingAgent-1.response', [model(), agent]);
    expect((value as { readonly text: string }).text).toContain('3');
  });

  test('answers into the chat with its steps and token counts', async () => {
    const vertices = [chatInput, model(), given, author('tool_component'), own({ input_value: fromChat })];
    const outcome = await run(
      [...vertices, chatOutput('OwnToolAgent-1.response'), show('OwnToolAgent-1.response')],
      {
        input: '[[call=add_one with="a=4"]] add',
        ...giving(addOne),
      },
    );
    const answer = outcome.stored.at(-1);
    expect([answer?.text, answer?.fields.properties.usage?.total_tokens]).toEqual(['5', expect.any(Number)]);
    expect(answer?.fields.contentBlocks).toMatchObject([
      {
        contents: [
          { type: 'tool_use', name: 'add_one', tool_input: { a: 4 } },
          { type: 'text', text: '5' },
        ],
      },
    ]);
    expect(shownOf(outcome)['Show-1']).toEqual({ text: '5' });
  });

  test('fails with the error of its model', async () => {
    const vertices = [model(), given, author('tool_component'), own({}, '[[status=400]] x')];
    const error = await failureOf([...vertices, show('OwnToolAgent-1.response')], giving(addOne));
    expect(error.message).toContain('Refused with 400');
  });
});
