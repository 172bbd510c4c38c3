import { uuidv7 } from '@millrace/service';
import { decideAnswer } from './answer';
import { toTokens } from './answer-tokens';
import type { ChatRequest } from './chat-request';
import type { Directives } from './directives';

/** An answer that is sent token by token. */
export interface TimedAnswer {
  readonly id: string;
  readonly model: string;
  readonly tokens: readonly string[];
  /** Set when the tokens are the arguments of a tool call. */
  readonly calling: { readonly id: string; readonly name: string } | null;
  /** True when the answer was truncated at the token limit. */
  readonly isCut: boolean;
  readonly promptTokens: number;
}

/** Returns the answer to a request, truncated at the token limit of the request. */
export function timedAnswer(request: ChatRequest, directives: Directives): TimedAnswer {
  const { tokens: allTokens, call } = decideAnswer(request, directives);
  const tokens = allTokens.slice(0, request.maximumTokens ?? allTokens.length);
  return {
    id: uuidv7(),
    model: request.model,
    tokens,
    calling: call === null ? null : { id: `call_${uuidv7()}`, name: call.name },
    isCut: tokens.length < allTokens.length,
    promptTokens: request.texts.reduce((sum, text) => sum + toTokens(text).length, 0),
  };
}
