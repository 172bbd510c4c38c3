import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { answerMcp } from './echoing-mcp.fixture.cjs';

/** Services that repeat every credential that they get. */
export interface EchoingServices {
  /** A model of OpenAI's protocol at /v1, an MCP server at /mcp, and a page at every other path. */
  readonly url: string;
  /** Headers, addresses and bodies of all requests. */
  readonly received: readonly string[];
  close(): Promise<void>;
}

interface ChatBody {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
}

export async function startEchoingServices(): Promise<EchoingServices> {
  const received: string[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      received.push(`${credentialsOf(request)} ${body}`);
      answer(request, response, body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Credentials of basic authentication are decoded, so that a text contains them as they were given. */
function credentialsOf({ headers, url = '' }: IncomingMessage): string {
  const [, basic] = /^Basic (.*)$/.exec(headers.authorization ?? '') ?? [];
  const decoded = basic === undefined ? '' : Buffer.from(basic, 'base64').toString();
  return `${JSON.stringify(headers)} ${decoded} ${decodeURIComponent(url)}`;
}

function answer(request: IncomingMessage, response: ServerResponse, body: string): void {
  const send = (status: number, content: unknown): void =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(content));
  const credentials = credentialsOf(request);
  const path = request.url ?? '/';
  if (path.startsWith('/v1/chat')) answerChat(JSON.parse(body) as ChatBody, credentials, send);
  else if (!path.startsWith('/mcp')) send(200, { credentials });
  else if (request.method !== 'POST') response.writeHead(405).end();
  else {
    const reply = answerMcp(JSON.parse(body) as Parameters<typeof answerMcp>[0], credentials);
    if (reply === null) response.writeHead(202).end();
    else send(200, reply);
  }
}

function answerChat(
  { model, messages, tools = [] }: ChatBody,
  credentials: string,
  send: (status: number, content: unknown) => void,
): void {
  const said = JSON.stringify(messages);
  if (said.includes('please refuse')) {
    send(401, { error: { message: `Incorrect API key provided: ${said} ${credentials}`, code: 'invalid' } });
    return;
  }
  const [tool] = messages.some(({ role }) => role === 'tool') ? [] : tools;
  const message =
    tool === undefined
      ? { role: 'assistant', content: `You sent ${said} with ${credentials}` }
      : { role: 'assistant', content: null, tool_calls: [callOf(tool.function.name)] };
  send(200, {
    id: 'answer',
    object: 'chat.completion',
    created: 1,
    model,
    choices: [{ index: 0, message, finish_reason: tool === undefined ? 'stop' : 'tool_calls' }],
    usage: { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 },
  });
}

function callOf(name: string): object {
  return { id: 'call-1', type: 'function', function: { name, arguments: '{}' } };
}
