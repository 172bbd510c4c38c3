import type { TimedAnswer } from '../timed-answer';
import { serverSentEvent } from './dialect';
import type { Dialect } from './dialect';
import { readGoogleRequest } from './google-request';

/** Returns the protocol of Google's Gemini API for the model in the URL; `stream` selects the streaming method. */
export function google(model: string, stream: boolean): Dialect {
  return {
    readRequest: (body) => readGoogleRequest(body, model, stream),
    whole: (answer) => response(answer, partsOf(answer, answer.tokens.join('')), true),
    begin: () => '',
    // A function call is sent as a whole at the end.
    token: (answer, token) =>
      answer.calling === null ? serverSentEvent(response(answer, [{ text: token }], false)) : '',
    end: (answer) =>
      serverSentEvent(
        response(
          answer,
          answer.calling === null ? [{ text: '' }] : partsOf(answer, answer.tokens.join('')),
          true,
        ),
      ),
    refusal: ({ status, message }) => ({ error: { code: status, message, status: statusName(status) } }),
  };
}

function partsOf({ calling, isCut }: TimedAnswer, text: string): readonly object[] {
  if (calling === null) return [{ text }];
  const { id, name } = calling;
  const args: unknown = isCut ? {} : JSON.parse(text);
  return [{ functionCall: { id, name, args }, thoughtSignature: signature }];
}

/** The signature that a client must send back with the call. */
const signature = Buffer.from('a thought').toString('base64');

function response(answer: TimedAnswer, parts: readonly object[], isLast: boolean): object {
  const { promptTokens, tokens, model, id } = answer;
  const finish = isLast ? { finishReason: answer.isCut ? 'MAX_TOKENS' : 'STOP' } : {};
  return {
    candidates: [{ content: { role: 'model', parts }, index: 0, ...finish }],
    usageMetadata: {
      promptTokenCount: promptTokens,
      candidatesTokenCount: tokens.length,
      totalTokenCount: promptTokens + tokens.length,
    },
    modelVersion: model,
    responseId: id,
  };
}

function statusName(status: number): string {
  const names: Readonly<Record<number, string>> = {
    400: 'INVALID_ARGUMENT',
    401: 'UNAUTHENTICATED',
    403: 'PERMISSION_DENIED',
    404: 'NOT_FOUND',
    429: 'RESOURCE_EXHAUSTED',
    503: 'UNAVAILABLE',
  };
  return names[status] ?? (status >= 500 ? 'INTERNAL' : 'INVALID_ARGUMENT');
}
