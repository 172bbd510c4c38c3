import type { TimedAnswer } from '../timed-answer';
import { readAnthropicRequest } from './anthropic-request';
import { serverSentEvent } from './dialect';
import type { Dialect } from './dialect';

/** The protocol of Anthropic's messages. */
export const anthropic: Dialect = {
  readRequest: readAnthropicRequest,
  whole: (answer) => ({
    ...identity(answer),
    content: [wholeBlock(answer)],
    stop_reason: stopReason(answer),
    usage: { input_tokens: answer.promptTokens, output_tokens: answer.tokens.length },
  }),
  begin: (answer) =>
    [
      named('message_start', {
        message: {
          ...identity(answer),
          content: [],
          stop_reason: null,
          usage: { input_tokens: answer.promptTokens, output_tokens: 1 },
        },
      }),
      named('content_block_start', { index: 0, content_block: emptyBlock(answer) }),
      named('ping', {}),
    ].join(''),
  token: ({ calling }, token) => {
    const delta =
      calling === null
        ? { type: 'text_delta', text: token }
        : { type: 'input_json_delta', partial_json: token };
    return named('content_block_delta', { index: 0, delta });
  },
  end: (answer) =>
    [
      named('content_block_stop', { index: 0 }),
      named('message_delta', {
        delta: { stop_reason: stopReason(answer), stop_sequence: null },
        usage: { output_tokens: answer.tokens.length },
      }),
      named('message_stop', {}),
    ].join(''),
  refusal: ({ status, message }) => ({ type: 'error', error: { type: errorType(status), message } }),
};

function named(type: string, data: object): string {
  return serverSentEvent({ type, ...data }, type);
}

function identity({ id, model }: TimedAnswer) {
  return { id: `msg_${id}`, type: 'message', role: 'assistant', model, stop_sequence: null };
}

function wholeBlock({ calling, tokens, isCut }: TimedAnswer): object {
  const text = tokens.join('');
  if (calling === null) return { type: 'text', text };
  return { type: 'tool_use', ...calling, input: isCut ? {} : (JSON.parse(text) as unknown) };
}

function emptyBlock({ calling }: TimedAnswer): object {
  return calling === null ? { type: 'text', text: '' } : { type: 'tool_use', ...calling, input: {} };
}

function stopReason({ isCut, calling }: TimedAnswer): string {
  if (isCut) return 'max_tokens';
  return calling === null ? 'end_turn' : 'tool_use';
}

function errorType(status: number): string {
  const types: Readonly<Record<number, string>> = {
    401: 'authentication_error',
    404: 'not_found_error',
    413: 'request_too_large',
    429: 'rate_limit_error',
    529: 'overloaded_error',
  };
  return types[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error');
}
