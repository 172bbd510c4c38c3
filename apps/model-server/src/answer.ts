import { answerTokens, toTokens } from './answer-tokens';
import type { ChatRequest } from './chat-request';
import { withoutDirectives } from './directives';
import type { Directives } from './directives';
import { exampleObject, exampleValue } from './example-value';
import { ModelServerError } from './model-server-error';
import type { OfferedTool } from './offered-tools';

/** What the model gives: a text, token by token, or the wish to have a tool called. */
export type Answer =
  | { readonly tokens: readonly string[]; readonly call: null }
  | { readonly tokens: readonly string[]; readonly call: { readonly name: string } };

/**
 * Decides what the model gives, always the same for the same request. It calls a tool when it has to, or when a
 * directive says so and it has not called as often as that yet; else it answers with text, as JSON where that is asked
 * for. The tokens of a call are those of its arguments.
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
    throw new ModelServerError(400, `The directive "call" names "${call}"; offered are ${names}.`);
  }
  return callsMade < rounds || choice === 'required' ? named : null;
}
