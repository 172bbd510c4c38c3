import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Data } from '@millrace/python-text';
import { PythonFailure } from './process/python-failure';
import { show } from './testing/author-component.fixture';
import { given, giving, openAuthorSuite, plain, shownOf } from './testing/author-suite.fixture';
import { brokenAuthor } from './testing/authors.fixture';

const { author, run, valueAt, failureOf } = openAuthorSuite();
const fromGiven = 'Given-1.value';

describe('branches and loops', () => {
  const branches = (type: string, first: string, second: string) => [
    show(`${type}.${first}`, 'Show-1'),
    show(`${type}.${second}`, 'Show-2'),
  ];

  test.each([
    ['Yes', { 'Show-1': 'm' }],
    ['No', { 'Show-2': 'm' }],
  ])('self.stop chooses the branch for %s', async (text, shown) => {
    const router = author('if_else', { fields: { input_text: text, match_text: 'yes', message: 'm' } });
    const outcome = await run([router, ...branches('ConditionalRouter-1', 'true_result', 'false_result')]);
    expect(shownOf(outcome)).toEqual(shown);
  });

  test.each([
    [2, { 'Show-1': { text: 'small' } }],
    [12, { 'Show-2': { text: 'large' } }],
  ])("the graph's exclusion chooses the branch for the tweak %i", async (size, shown) => {
    const vertices = [author('graph_router'), ...branches('GraphRouter-1', 'small', 'large')];
    const outcome = await run(vertices, { tweaks: { 'GraphRouter-1': { size } } });
    expect(shownOf(outcome)).toEqual(shown);
  });

  test('three outputs share one computation', async () => {
    const outcome = await run(
      [
        given,
        author('score_gate', { from: { scored: [fromGiven] } }),
        show('ScoreGate-1.passed'),
        show('ScoreGate-1.rejected', 'Show-2'),
        show('ScoreGate-1.report', 'Show-3'),
      ],
      giving([new Data({ score: 0.2 }), new Data({ score: 0.9 })]),
    );
    expect(shownOf(outcome)).toEqual({
      'Show-1': [{ data: { score: 0.9 } }],
      'Show-2': { rows: [{ score: 0.2 }] },
      'Show-3': { text: '1 passed, 1 rejected, computed 1 time' },
    });
  });

  test('the body of a native loop runs in one process', async () => {
    const vertices = [
      given,
      { id: 'LoopComponent-1', from: { data: fromGiven, item: 'LoopBody-1.changed' } },
      author('loop_body', { from: { item: 'LoopComponent-1.item' } }),
    ];
    expect(
      await valueAt('LoopComponent-1.done', vertices, giving([new Data({ n: 1 }), new Data({ n: 2 })])),
    ).toEqual({
      rows: [
        { n: 1, twice: 2, round: 1 },
        { n: 2, twice: 4, round: 2 },
      ],
    });
  });

  test('a cycle goes round until its count is reached', async () => {
    const retry = author('retry_counter', {
      fields: { draft: 'd' },
      from: { draft: 'RetryCounter-1.again' },
    });
    expect(await valueAt('RetryCounter-1.finished', [retry])).toEqual({ text: 'd++ after 3' });
  });

  test('vertices share a context', async () => {
    const vertices = [
      author('context_writer', { fields: { topic: 't' } }),
      author('context_reader', { from: { after: 'ContextWriter-1.topic_out' } }),
    ];
    expect(await valueAt('ContextReader-1.recalled', vertices)).toEqual({
      data: { topic: 't', steps: ['writer'], step: 1 },
    });
  });

  test('two vertices with one source do not see changes of each other', async () => {
    const outcome = await run(
      [
        given,
        author('mutates_input', { from: { record: fromGiven } }),
        author('mutates_input', { number: 2, from: { record: fromGiven } }),
        show('MutatesInput-1.changed'),
        show('MutatesInput-2.changed', 'Show-2'),
      ],
      giving(new Data({ items: [] })),
    );
    const changed = { data: { items: ['x'], seen: 1 } };
    expect(shownOf(outcome)).toEqual({ 'Show-1': changed, 'Show-2': changed });
  });
});

describe('the ends of a flow', () => {
  test('an edited chat input and chat output store the conversation', async () => {
    const outcome = await run(
      [author('chat_input'), author('chat_output', { from: { input_value: 'ChatInput-1.message' } })],
      { input: ' hello ' },
    );
    expect(outcome.stored.map(({ text, fields }) => [text, fields.sender, fields.properties.source])).toEqual(
      [
        ['hello', 'User', { id: null, display_name: null, source: null }],
        ['** hello **', 'Machine', { id: 'ChatInput-1', display_name: 'Chat Input', source: 'Chat Input' }],
      ],
    );
    expect(outcome.response.outputs[0]?.outputs[0]?.outputs['message']).toEqual({
      message: '** hello **',
      type: 'text',
    });
  });

  test('an edited text output is a result', async () => {
    const { response } = await run([
      { id: 'TextInput-1', fields: { input_value: 'hi' } },
      author('text_component', { from: { input_value: 'TextInput-1.text' } }),
    ]);
    expect(response.outputs[0]?.outputs[0]?.outputs).toEqual({ text: { message: 'hi', type: 'text' } });
  });

  test('a component knows its run', async () => {
    expect(await valueAt('RunFacts-1.facts', [author('run_facts')])).toEqual({
      data: {
        id: 'RunFacts-1',
        get_id: 'RunFacts-1',
        user: 'owner-1',
        flow: 'flow-1',
        flow_name: '',
        session: 'session-1',
        has_run: true,
        display_name: 'Facts',
        vertex: 'RunFacts-1',
        edges: ['facts'],
        trace: 'Facts (RunFacts-1)',
      },
    });
  });

  test('a secret is a variable by its name', async () => {
    const vertex = author('secret_user', { fields: { api_key: { load_from_db: true, type: 'str' } } });
    const variables = { SERVICE_KEY: 'sk-12345', SERVICE_URL: 'http://x' };
    expect(await valueAt('SecretUser-1.masked', [vertex], { variables })).toEqual({
      text: '8 characters for http://x',
    });
  });

  test('what a component prints and logs is no output', async () => {
    expect(await valueAt('LogsAndStatus-1.result', [author('logs_and_status')])).toEqual({
      data: { ok: true },
    });
  });

  test('a component calls a service', async () => {
    const server = createServer((request, response) => {
      request.resume();
      response.writeHead(request.url === '/absent' ? 404 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ one: request.headers['x-one'] }));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const caller = author('http_caller', {
      fields: { url, headers: { type: 'dict', value: { 'x-one': '1' } } },
    });
    try {
      expect(await valueAt('HttpCaller-1.answers', [caller])).toEqual([
        { data: { one: '1' } },
        { data: { error: '404' } },
      ]);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});

describe('errors', () => {
  test("an exception of the author's own class", async () => {
    const error = await failureOf([
      author('strict_input', { fields: { number: 'x' } }),
      show('StrictInput-1.parsed'),
    ]);
    expect(error.message).toContain("'x' is not a number");
    expect(error.cause).toBeInstanceOf(PythonFailure);
    expect(error.cause).toMatchObject({ type: 'InputRefused' });
  });

  test('a package that is not installed', async () => {
    const error = await failureOf([
      brokenAuthor('crew_agent', 'CrewAgent-1', 'agent'),
      show('CrewAgent-1.agent'),
    ]);
    expect(error.cause).toMatchObject({ missingModule: 'crewai' });
  });

  test('another flow cannot be run by a component', async () => {
    const error = await failureOf([
      author('lists_flows', { fields: { flow: 'x' } }),
      show('RunsFlow-1.answer'),
    ]);
    expect(error.message).toContain('A component in Python cannot run other flows');
  });

  test('nothing where a message is declared', async () => {
    const vertex = author('text_for_message', { fields: { kind: 'none' } });
    const { shown } = await run([vertex, show('TextForMessage-1.message')]);
    expect(plain(shown.get('Show-1') ?? null)).toBeNull();
  });
});
