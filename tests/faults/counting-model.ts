import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** A server of OpenAI's chat completions that counts the tokens of what it was asked, whether its caller gets the answer or not. */
export interface CountingModel {
  readonly url: string;
  /** Requests and tokens since the last reset. */
  readonly counts: { readonly calls: number; readonly tokens: number };
  reset(): void;
  close(): void;
}

interface CountingModelOptions {
  readonly completionTokens: number;
  readonly maximumDelayMilliseconds: number;
}

/** Answers calls of a model with tools by a call of the calculator, without an end, and other calls with a text. */
export async function startCountingModel({
  completionTokens,
  maximumDelayMilliseconds,
}: CountingModelOptions): Promise<CountingModel> {
  const counts = { calls: 0, tokens: 0 };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = '';
    for await (const piece of request) text += String(piece);
    const { tools, stream } = JSON.parse(text) as { tools?: object[]; stream?: boolean };
    const usage = {
      prompt_tokens: Math.ceil(text.length / 4),
      completion_tokens: completionTokens,
      total_tokens: Math.ceil(text.length / 4) + completionTokens,
    };
    counts.calls += 1;
    counts.tokens += usage.total_tokens;
    await pause(Math.random() * maximumDelayMilliseconds);
    const message = tools === undefined ? { content: 'Done.' } : { content: null, tool_calls: [call] };
    const finish_reason = tools === undefined ? 'stop' : 'tool_calls';
    const common = { id: 'c', created: 1, model: 'gpt-4o-mini' };
    if (stream !== true) {
      const choices = [{ index: 0, message: { role: 'assistant', ...message }, finish_reason }];
      response.setHeader('content-type', 'application/json');
      return void response.end(JSON.stringify({ ...common, object: 'chat.completion', choices, usage }));
    }
    response.setHeader('content-type', 'text/event-stream');
    const chunk = (members: object) =>
      `data: ${JSON.stringify({ ...common, object: 'chat.completion.chunk', ...members })}\n\n`;
    const first = chunk({ choices: [{ index: 0, delta: message, finish_reason: null }] });
    const last = chunk({ choices: [{ index: 0, delta: {}, finish_reason }] });
    response.end(`${first}${last}${chunk({ choices: [], usage })}data: [DONE]\n\n`);
  }

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    counts,
    reset: () => void Object.assign(counts, { calls: 0, tokens: 0 }),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

const call = {
  index: 0,
  id: 'call_0',
  type: 'function',
  function: { name: 'evaluate_expression', arguments: '{"expression":"1+1"}' },
};
