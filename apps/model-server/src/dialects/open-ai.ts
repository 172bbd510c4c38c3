import { machineTime } from '@millrace/service';
import type { ChatRequest } from '../chat-request';
import type { TimedAnswer } from '../timed-answer';
import { serverSentEvent } from './dialect';
import type { Dialect } from './dialect';
import { readOpenAiRequest } from './open-ai-request';

/** The protocol of OpenAI's chat completions. */
export const openAi: Dialect = {
  readRequest: readOpenAiRequest,
  whole: (answer) => ({
    ...identity(answer, 'chat.completion'),
    choices: [
      {
        index: 0,
        message: { role: 'assistant', ...wholeMessage(answer), refusal: null },
        logprobs: null,
        finish_reason: finishReason(answer),
      },
    ],
    usage: usageOf(answer),
  }),
  begin: (answer, request) => chunk(answer, request, beginning(answer)),
  token: (answer, content, request) =>
    chunk(
      answer,
      request,
      answer.calling === null
        ? { content }
        : { tool_calls: [{ index: 0, function: { arguments: content } }] },
    ),
  end: (answer, request) => {
    const usage = { ...identity(answer, 'chat.completion.chunk'), choices: [], usage: usageOf(answer) };
    return [
      chunk(answer, request, {}, finishReason(answer)),
      request.includeUsage ? serverSentEvent(usage) : '',
      'data: [DONE]\n\n',
    ].join('');
  },
  refusal: (error) => ({
    error: { message: error.message, type: errorType(error.status), param: null, code: null },
  }),
};

function chunk(
  answer: TimedAnswer,
  { includeUsage }: ChatRequest,
  delta: object,
  finish: string | null = null,
): string {
  const choices = [{ index: 0, delta, logprobs: null, finish_reason: finish }];
  const usage = includeUsage ? { usage: null } : {};
  return serverSentEvent({ ...identity(answer, 'chat.completion.chunk'), choices, ...usage });
}

function wholeMessage({ calling, tokens }: TimedAnswer): object {
  const text = tokens.join('');
  if (calling === null) return { content: text };
  const { id, name } = calling;
  return { content: null, tool_calls: [{ id, type: 'function', function: { name, arguments: text } }] };
}

function beginning({ calling }: TimedAnswer): object {
  if (calling === null) return { role: 'assistant', content: '' };
  const { id, name } = calling;
  const call = { index: 0, id, type: 'function', function: { name, arguments: '' } };
  return { role: 'assistant', content: null, tool_calls: [call] };
}

function finishReason({ isCut, calling }: TimedAnswer): string {
  if (isCut) return 'length';
  return calling === null ? 'stop' : 'tool_calls';
}

function usageOf({ promptTokens, tokens }: TimedAnswer): object {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: tokens.length,
    total_tokens: promptTokens + tokens.length,
  };
}

function identity({ id, model }: TimedAnswer, object: string) {
  return { id: `chatcmpl-${id}`, object, created: Math.floor(machineTime() / 1000), model };
}

function errorType(status: number): string {
  if (status === 401) return 'authentication_error';
  if (status === 429) return 'rate_limit_error';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
}
