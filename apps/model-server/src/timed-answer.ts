import { uuidv7 } from '@millrace/service';
import { decideAnswer } from './answer';
import { toTokens } from './answer-tokens';
import type { ChatRequest } from './chat-request';
import type { Directives } from './directives';

/** An answer as it goes out, token by token. */
export interface TimedAnswer {
  readonly id: string;
  readonly model: string;
  readonly tokens: readonly string[];
  /** Set when the tokens are the arguments of a call. */
  readonly calling: { readonly id: string; readonly name: string } | null;
  /** True when the limit of tokens cut it short. */
  readonly isCut: boolean;
  readonly promptTokens: number;
}

/** What the model gives to a request, cut where the request limits it. */
export function timedAnswer(request: ChatRequest, directives: Directives): TimedAnswer {
  const { tokens: said, call } = decideAnswer(request, directives);
  const tokens = said.slice(0, request.maximumTokens ?? said.length);
  return {
    id: uuidv7(),
    model: request.model,
    tokens,
    calling: call === null ? null : { id: `call_${uuidv7()}`, name: call.name },
    isCut: tokens.length < said.length,
    promptTokens: request.texts.reduce((sum, text) => sum + toTokens(text).length, 0),
  };
}
