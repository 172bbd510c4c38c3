import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { uuidv7 } from '@millrace/service';
import { decideAnswer } from './answer';
import { toTokens } from './answer-tokens';
import type { ChatRequest } from './chat-request';
import type { Directives } from './directives';

interface Usage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
}

/** Answers a chat completion, whole or as server-sent events, in the time the directives ask for. */
export async function answerChat(
  request: ChatRequest,
  directives: Directives,
  response: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  const { tokens: said, call } = decideAnswer(request, directives);
  const tokens = said.slice(0, request.maximumTokens ?? said.length);
  const finishReason = tokens.length < said.length ? 'length' : call === null ? 'stop' : 'tool_calls';
  const calling = call === null ? null : { id: `call_${uuidv7()}`, name: call.name };
  const promptTokens = request.texts.reduce((sum, text) => sum + toTokens(text).length, 0);
  const usage: Usage = {
    prompt_tokens: promptTokens,
    completion_tokens: tokens.length,
    total_tokens: promptTokens + tokens.length,
  };
  await pause(directives.delayMilliseconds, signal);
  if (request.stream)
    return streamTokens(request, directives, response, signal, { tokens, calling, finishReason, usage });
  await pause(directives.intervalMilliseconds * Math.max(0, tokens.length - 1), signal);
  if (directives.cut !== undefined) return void response.destroy();
  const completion = {
    ...identity(request, 'chat.completion'),
    choices: [
      {
        index: 0,
        message: { role: 'assistant', ...wholeMessage(calling, tokens.join('')), refusal: null },
        logprobs: null,
        finish_reason: finishReason,
      },
    ],
    usage,
  };
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(completion));
}

interface Calling {
  readonly id: string;
  readonly name: string;
}

function wholeMessage(calling: Calling | null, text: string): object {
  if (calling === null) return { content: text };
  const { id, name } = calling;
  return { content: null, tool_calls: [{ id, type: 'function', function: { name, arguments: text } }] };
}

interface TimedAnswer {
  readonly tokens: readonly string[];
  /** Set when the tokens are the arguments of a call. */
  readonly calling: Calling | null;
  readonly finishReason: string;
  readonly usage: Usage;
}

async function streamTokens(
  request: ChatRequest,
  directives: Directives,
  response: ServerResponse,
  signal: AbortSignal,
  { tokens, calling, finishReason, usage }: TimedAnswer,
): Promise<void> {
  const shared = identity(request, 'chat.completion.chunk');
  const send = async (delta: object, finish: string | null = null): Promise<void> => {
    const choices = [{ index: 0, delta, logprobs: null, finish_reason: finish }];
    const chunk = { ...shared, choices, ...(request.includeUsage ? { usage: null } : {}) };
    if (!response.write(`data: ${JSON.stringify(chunk)}\n\n`)) await once(response, 'drain', { signal });
  };
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  await send(beginning(calling));
  for (const [index, content] of tokens.entries()) {
    if (index === directives.cut) return void response.destroy();
    if (index > 0) await pause(directives.intervalMilliseconds, signal);
    await send(
      calling === null ? { content } : { tool_calls: [{ index: 0, function: { arguments: content } }] },
    );
  }
  await send({}, finishReason);
  if (request.includeUsage) response.write(`data: ${JSON.stringify({ ...shared, choices: [], usage })}\n\n`);
  response.end('data: [DONE]\n\n');
}

function beginning(calling: Calling | null): object {
  if (calling === null) return { role: 'assistant', content: '' };
  const { id, name } = calling;
  const call = { index: 0, id, type: 'function', function: { name, arguments: '' } };
  return { role: 'assistant', content: null, tool_calls: [call] };
}

function identity({ model }: ChatRequest, object: string) {
  return { id: `chatcmpl-${uuidv7()}`, object, created: Math.floor(Date.now() / 1000), model };
}

async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  if (milliseconds > 0) await wait(milliseconds, undefined, { signal });
}
