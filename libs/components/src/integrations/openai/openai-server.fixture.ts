import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that a model server has received. */
export interface ModelRequest {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: {
    readonly model: string;
    readonly stream: boolean;
    readonly messages: readonly { readonly role: string; readonly content: string }[];
  } & Readonly<Record<string, unknown>>;
}

export interface ModelServerUnderTest {
  /** The base address of `/chat/completions`. */
  readonly url: string;
  readonly requests: ModelRequest[];
  /** Responses for the next requests, in order; then "Hello big world" (or vectors). */
  readonly answers: ((response: ServerResponse, request: ModelRequest) => void)[];
  close(): Promise<void>;
}

const chunks = ['Hello ', 'big ', 'world'];
const usage = { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 };
const identity = { id: 'chatcmpl-1', created: 1, model: 'fake' };

/** Starts a server on a free port that implements the parts of OpenAI's protocol that the tests need. */
export async function startModelServerUnderTest(): Promise<ModelServerUnderTest> {
  const requests: ModelRequest[] = [];
  const answers: ModelServerUnderTest['answers'] = [];
  const server = createServer((request, response) => {
    void readJson(request).then((body) => {
      const question = { path: request.url ?? '', headers: request.headers, body };
      requests.push(question);
      (answers.shift() ?? answerByDefault)(response, question);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    answers,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Starts such a server before each test of a file and closes it afterwards. Call it once, at the top of the file. */
export function openModelServerForEachTest(): Omit<ModelServerUnderTest, 'close'> {
  let server: ModelServerUnderTest;
  beforeEach(async () => {
    server = await startModelServerUnderTest();
  });
  afterEach(() => server.close());
  return {
    get url() {
      return server.url;
    },
    get requests() {
      return server.requests;
    },
    get answers() {
      return server.answers;
    },
  };
}

/** Responds with an error as providers do. */
export function refuse(status: number, error: unknown): (response: ServerResponse) => void {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
  };
}

/** Formats one server-sent event with a piece of the answer. */
export function chunk(content: string): string {
  const choices = [{ index: 0, delta: { content }, finish_reason: null }];
  return `data: ${JSON.stringify({ ...identity, object: 'chat.completion.chunk', choices })}\n\n`;
}

/** Responds with this text, not streamed. */
export function streamText(content: string): (response: ServerResponse) => void {
  return (response) => answerWith(response, { role: 'assistant', content }, 'stop');
}

/** Responds with tool calls, each with these arguments. */
export function callTools(
  ...calls: readonly (readonly [name: string, callArguments: unknown])[]
): (response: ServerResponse) => void {
  const tool_calls = calls.map(([name, callArguments], index) => ({
    id: `call_${index}`,
    type: 'function',
    function: {
      name,
      arguments: typeof callArguments === 'string' ? callArguments : JSON.stringify(callArguments),
    },
  }));
  return (response) => answerWith(response, { role: 'assistant', content: null, tool_calls }, 'tool_calls');
}

function answerWith(response: ServerResponse, message: unknown, finish_reason: string): void {
  const choices = [{ index: 0, message, finish_reason }];
  response
    .writeHead(200, { 'content-type': 'application/json' })
    .end(JSON.stringify({ ...identity, object: 'chat.completion', choices, usage }));
}

function answerByDefault(response: ServerResponse, question: ModelRequest): void {
  if (question.path.includes('/embeddings')) embed(response, question);
  else streamHello(response, question);
}

/** A vector encodes a text's length and its first letter; the vectors come in reverse order. */
function embed(response: ServerResponse, { body }: ModelRequest): void {
  const texts = body['input'] as readonly string[];
  const data = texts
    .map((text, index) => ({ object: 'embedding', index, embedding: [text.length, text.charCodeAt(0)] }))
    .reverse();
  response.writeHead(200, { 'content-type': 'application/json' }).end(
    JSON.stringify({
      object: 'list',
      data,
      model: body.model,
      usage: { prompt_tokens: 1, total_tokens: 1 },
    }),
  );
}

function streamHello(response: ServerResponse, { body }: ModelRequest): void {
  if (body.stream) {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const content of chunks) response.write(chunk(content));
    const last = { ...identity, object: 'chat.completion.chunk', choices: [], usage };
    response.end(`data: ${JSON.stringify(last)}\n\ndata: [DONE]\n\n`);
    return;
  }
  answerWith(response, { role: 'assistant', content: chunks.join('') }, 'stop');
}

async function readJson(request: IncomingMessage): Promise<ModelRequest['body']> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const text = Buffer.concat(parts).toString('utf8');
  return JSON.parse(text === '' ? '{}' : text) as ModelRequest['body'];
}
