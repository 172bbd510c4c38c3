import { answerTokens, toTokens } from './answer-tokens';
import type { ChatRequest } from './chat-request';
import { withoutDirectives } from './directives';
import type { Directives } from './directives';
import { exampleObject, exampleValue } from './example-value';
import { ModelServerError } from './model-server-error';
import type { OfferedTool } from './offered-tools';

/** The answer of the model: a text or a tool call. */
export type Answer =
  | { readonly tokens: readonly string[]; readonly call: null }
  | { readonly tokens: readonly string[]; readonly call: { readonly name: string } };

/**
 * Decides the answer to a request deterministically. It is a tool call when the request requires one, or when a directive
 * asks for one and its number of rounds is not reached; else it is text, as JSON if a schema is given. The tokens of a
 * call are those of its arguments.
 */
export function decideAnswer(request: ChatRequest, directives: Directives): Answer {
  const tool = toolToCall(request, directives);
  const text = withoutDirectives(request.lastUserText);
  if (tool !== null) {
    const given = { ...exampleObject(tool.parameters, text), ...directives.callArguments };
    return { tokens: toTokens(JSON.stringify(given)), call: { name: tool.name } };
  }
  if (directives.reply === undefined && request.answerSchema !== null) {
    return { tokens: toTokens(JSON.stringify(exampleValue(request.answerSchema, text))), call: null };
  }
  if (directives.reply === undefined && directives.tokens === undefined && request.toolResults.length > 0) {
    return { tokens: toTokens(request.toolResults.join('\n')), call: null };
  }
  return { tokens: answerTokens(request.model, request.lastUserText, directives), call: null };
}

function toolToCall(
  { offer: { tools, choice }, callsMade }: ChatRequest,
  { call, rounds }: Directives,
): OfferedTool | null {
  if (typeof choice === 'object') return tools.find(({ name }) => name === choice.name) ?? null;
  if (tools.length === 0 || choice === 'none') return null;
  if (call === undefined) return choice === 'required' ? (tools[0] ?? null) : null;
  const named = tools.find(({ name }) => name === call);
  if (named === undefined) {
    const names = tools.map(({ name }) => name).join(', ');
    throw new ModelServerError(400, `The directive "call" names "${call}"; the offered tools are ${names}.`);
  }
  return callsMade < rounds || choice === 'required' ? named : null;
}
