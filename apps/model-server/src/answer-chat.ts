import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { ChatRequest } from './chat-request';
import type { Dialect } from './dialects/dialect';
import type { Directives } from './directives';
import { timedAnswer } from './timed-answer';

/** Answers a request in one response or as server-sent events, with the delays that the directives set. */
export async function answerChat(
  dialect: Dialect,
  request: ChatRequest,
  directives: Directives,
  response: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  const answer = timedAnswer(request, directives);
  const { tokens } = answer;
  await pause(directives.delayMilliseconds, signal);
  if (!request.stream) {
    await pause(directives.intervalMilliseconds * Math.max(0, tokens.length - 1), signal);
    if (directives.cut !== undefined) return void response.destroy();
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify(dialect.whole(answer)));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  const send = async (text: string): Promise<void> => {
    if (text !== '' && !response.write(text)) await once(response, 'drain', { signal });
  };
  await send(dialect.begin(answer, request));
  for (const [index, token] of tokens.entries()) {
    if (index === directives.cut) return void response.destroy();
    if (index > 0) await pause(directives.intervalMilliseconds, signal);
    await send(dialect.token(answer, token, request));
  }
  response.end(dialect.end(answer, request));
}

async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  if (milliseconds > 0) await wait(milliseconds, undefined, { signal });
}
