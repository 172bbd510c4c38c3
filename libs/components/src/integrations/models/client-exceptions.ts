import { isDict } from '@millrace/flow';
import type { ShownException } from '@millrace/flow';
import { str } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';

/** The exceptions of a provider's Python client, which Langflow's messages about failures name. */
export interface ClientExceptions {
  /** Returns the exception for an answer with this status, and with this JSON as the body; null for another body. */
  refused(status: number, body: PythonValue, text: string): ShownException;
  /** Those of a call without an answer, with their texts where these stand in place of the reason. */
  readonly timedOut: ShownException & { readonly text?: string };
  readonly disconnected: ShownException & { readonly text?: string };
  /** That of a stream which breaks. */
  readonly broken: ShownException & { readonly text: string };
}

/** The clients of all providers read streams by one library, whose exceptions they let through. */
const broken = {
  kind: 'RemoteProtocolError',
  text: 'peer closed connection without sending complete message body (incomplete chunked read)',
};

const classes: Readonly<Record<number, string>> = {
  400: 'BadRequestError',
  401: 'AuthenticationError',
  403: 'PermissionDeniedError',
  404: 'NotFoundError',
  409: 'ConflictError',
  422: 'UnprocessableEntityError',
  429: 'RateLimitError',
};

function classOf(status: number): string {
  return classes[status] ?? (status >= 500 ? 'InternalServerError' : 'APIStatusError');
}

/** OpenAI's client; `rename` gives its classes the names that LangChain raises. */
function openAiClient(rename: (name: string, text: string) => string): ClientExceptions {
  return {
    refused(status, body, text) {
      const kind = rename(classOf(status), text);
      const error = isDict(body) ? (body['error'] ?? body) : null;
      if (!isDict(error)) return { kind, exceptionCode: null };
      if ('message' in error) return { kind, said: str(error['message'] ?? null) };
      return {
        kind,
        exceptionCode: 'code' in error && error['code'] !== null ? str(error['code'] ?? null) : null,
      };
    },
    timedOut: { kind: rename('APITimeoutError', ''), exceptionCode: null, text: 'Request timed out.' },
    disconnected: { kind: rename('APIConnectionError', ''), exceptionCode: null, text: 'Connection error.' },
    broken,
  };
}

const chatClasses: Readonly<Record<string, string>> = {
  BadRequestError: 'OpenAIInvalidRequestError',
  AuthenticationError: 'OpenAIAuthenticationError',
  PermissionDeniedError: 'OpenAIPermissionDeniedError',
  NotFoundError: 'OpenAIModelNotFoundError',
  RateLimitError: 'OpenAIRateLimitError',
  InternalServerError: 'OpenAIAPIError',
  APITimeoutError: 'OpenAITimeoutError',
  APIConnectionError: 'OpenAIConnectionError',
};

/** What OpenAI says of a prompt that is too long. */
const overflow =
  /context_length_exceeded|Input tokens exceed the configured limit|prompt is too long|ContextWindowExceededError/;

/** Chat models that Langflow calls with LangChain's class for OpenAI. */
export const openAiChatExceptions = openAiClient((name, text) =>
  name === 'BadRequestError' && overflow.test(text)
    ? 'OpenAIContextOverflowError'
    : (chatClasses[name] ?? name),
);

/** Embedding models that Langflow calls with OpenAI's client. */
export const openAiExceptions = openAiClient((name) => name);

/** Anthropic's client, whose exceptions have no code, and as their body the whole answer. */
export const anthropicExceptions: ClientExceptions = {
  refused: (status) => ({
    kind: { 413: 'RequestTooLargeError', 529: 'OverloadedError' }[status] ?? classOf(status),
  }),
  timedOut: { kind: 'APITimeoutError' },
  disconnected: { kind: 'APIConnectionError', text: 'Connection error.' },
  broken,
};
