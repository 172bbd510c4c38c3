import type { ChatRequest } from '../chat-request';
import type { ModelServerError } from '../model-server-error';
import type { TimedAnswer } from '../timed-answer';

/** The requests and responses of one protocol. */
export interface Dialect {
  /** Reads a body as the protocol's API does; throws ModelServerError for what that API refuses. */
  readRequest(body: unknown): ChatRequest;
  /** Returns the body of an answer that is not streamed. */
  whole(answer: TimedAnswer): object;
  /** Return the events of a streamed answer before its tokens, for each token, and after them, as they are sent. */
  begin(answer: TimedAnswer, request: ChatRequest): string;
  token(answer: TimedAnswer, token: string, request: ChatRequest): string;
  end(answer: TimedAnswer, request: ChatRequest): string;
  /** Returns the body of an error. */
  refusal(error: ModelServerError): object;
}

/** Returns a server-sent event; `name` is for protocols whose events have names. */
export function serverSentEvent(data: object, name?: string): string {
  return `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;
}
