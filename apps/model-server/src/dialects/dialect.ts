import type { ChatRequest } from '../chat-request';
import type { ModelServerError } from '../model-server-error';
import type { TimedAnswer } from '../timed-answer';

/** How one protocol writes questions and answers. */
export interface Dialect {
  /** Reads a body as the protocol's API would; throws ModelServerError where that API refuses. */
  readRequest(body: unknown): ChatRequest;
  /** The body of a whole answer. */
  whole(answer: TimedAnswer): object;
  /** The events of a streamed answer: before its tokens, for each, and after them; each is text as it is sent. */
  begin(answer: TimedAnswer, request: ChatRequest): string;
  token(answer: TimedAnswer, token: string, request: ChatRequest): string;
  end(answer: TimedAnswer, request: ChatRequest): string;
  /** The body of a refusal. */
  refusal(error: ModelServerError): object;
}

/** One server-sent event; `name` where the protocol gives events names. */
export function serverSentEvent(data: object, name?: string): string {
  return `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;
}
