import type { RunEvent } from '@millrace/flow';
import { refuse } from '../integrations/openai/openai-server.fixture';
import type { RunOptions } from '../testing/flow-under-test.fixture';
import { agentFlow, openAgentSuite, streamedCall } from './agent-flow.fixture';

const { server, ask } = openAgentSuite();

interface ShownMessage {
  readonly id: string;
  readonly text: string;
  readonly properties: { readonly state: string; readonly source: object };
  readonly data: Pick<ShownMessage, 'properties'>;
  readonly content_blocks: readonly {
    readonly contents: readonly { readonly reason: string; readonly traceback: string }[];
  }[];
}

/** Returns why a run with a streaming caller failed, and what the caller saw. */
async function failed(options: RunOptions = {}) {
  const events: RunEvent[] = [];
  const run = ask(agentFlow({ stream: true }), {
    stream: true,
    onEvent: (event) => events.push(event),
    ...options,
  });
  const error = await run.then(
    () => new Error('no failure'),
    (reason: unknown) => reason as Error,
  );
  const shown = (name: string) =>
    events.flatMap(({ event, data }) => (event === name ? [data as unknown as ShownMessage] : []));
  const [failure] = shown('error');
  return {
    text: error.message.split('\n\n')[1],
    failure,
    content: failure?.content_blocks[0]?.contents[0],
    messages: shown('add_message'),
    removed: shown('remove_message').map(({ id }) => id),
  };
}

test.each([
  [400, 'OpenAIInvalidRequestError'],
  [401, 'OpenAIAuthenticationError'],
  [403, 'OpenAIPermissionDeniedError'],
  [404, 'OpenAIModelNotFoundError'],
  [422, 'UnprocessableEntityError'],
])('an agent whose model refuses with %i fails with the words of the client', async (status, kind) => {
  server.answers.push(refuse(status, { message: 'not with me', code: 'no' }));
  const { text, failure, content } = await failed();
  expect(text).toBe(`Error code: ${status} - {'error': {'message': 'not with me', 'code': 'no'}}.`);
  expect(failure?.text).toBe('not with me\n');
  expect(content?.reason).toBe(`**${kind}**\n - **not with me**\n`);
});

test('a refusal without a message shows its code', async () => {
  const page = Buffer.from('no such address');
  server.answers.push((response) => response.writeHead(404).end(page), refuse(403, { code: 'blocked' }));
  const [plain, coded] = [await failed(), await failed()];
  expect(plain.content?.reason).toBe('**Error code: 404 - no such address**\n - **Code: None**\n');
  expect(plain.failure?.text).toBe('Error code: 404 - no such address\n');
  expect(coded.content?.reason).toBe(
    "**Error code: 403 - {'error': {'code': 'blocked'}}**\n - **Code: blocked**\n",
  );
});

test('the code of a refusal shows no key, and is shortened', async () => {
  server.answers.push(refuse(403, { code: 'bad key sk-stored' }), refuse(403, { code: 'x'.repeat(100_000) }));
  const [keyed, long] = [await failed(), await failed()];
  expect(keyed.content?.reason).toContain('bad key');
  expect(JSON.stringify(keyed.failure)).not.toContain('sk-stored');
  expect(long.content?.reason.length).toBeLessThan(20_000);
});

test('a prompt that is too long has a class of its own', async () => {
  server.answers.push(refuse(400, { message: 'Too long.', code: 'context_length_exceeded' }));
  expect((await failed()).content?.reason).toBe('**OpenAIContextOverflowError**\n - **Too long.**\n');
});

test('a connection that breaks has the text of the client, and its reason in the trace', async () => {
  for (let tries = 0; tries < 3; tries += 1) server.answers.push((response) => response.destroy());
  const { text, failure, content } = await failed();
  expect(text).toBe('Connection error..');
  expect(failure?.text).toBe('Connection error.\n');
  expect(content?.reason).toBe('**Connection error.**\n - **Code: None**\n');
  expect(content?.traceback).toMatch(
    /^ValueError: OpenAI \(127.+\) could not be reached: .+\nOpenAIConnectionError: Connection error\.$/,
  );
});

test('a stream that breaks is the failure of the agent, in the words of the client', async () => {
  server.answers.push((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const choices = [{ index: 0, delta: { content: 'Hel' }, finish_reason: null }];
    response.write(`data: ${JSON.stringify({ choices })}\n\n`, () => response.destroy());
  });
  const watch = { begins: () => undefined, ended: () => Promise.resolve() };
  const { text, failure, content, messages, removed } = await failed({ watch });
  const words = 'peer closed connection without sending complete message body (incomplete chunked read)';
  expect([text, failure?.text]).toEqual([`${words}.`, `${words}\n`]);
  expect(failure?.properties.source).toMatchObject({ id: 'Agent-g' });
  expect(content?.reason).toBe(`**RemoteProtocolError**\n - **Details: ${words}**\n`);
  expect(removed).toEqual([messages[1]?.id]);
});

test('the partial message names no source, and is removed for those who follow the vertices', async () => {
  const watch = { begins: () => undefined, ended: () => Promise.resolve() };
  for (const options of [{}, { watch }]) {
    server.answers.push(streamedCall, refuse(400, { message: 'no such model' }));
    const { messages, removed } = await failed(options);
    const [, partial] = messages;
    const properties = { state: 'partial', source: { id: null, display_name: null, source: null } };
    expect(partial).toMatchObject({ properties, data: { properties } });
    expect(removed).toEqual('watch' in options ? [partial?.id] : []);
  }
});
