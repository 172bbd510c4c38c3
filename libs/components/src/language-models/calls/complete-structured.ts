import { ComponentError } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import { parsePythonJson } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';
import { completeChat } from './chat-completion';
import { ModelRefusal } from '../../integrations/models/model-failure';
import type { ChatMessage } from '../../integrations/models/chat-message';
import type { ChatModel } from '../../integrations/models/chat-protocol';
import type { AnswerShape } from '../../integrations/models/chat-protocol';

/** Tells after which errors of the first request the answer is requested as JSON. */
export type FallsBackAfter = (error: unknown) => error is ComponentError;

/**
 * Requests an answer of a given shape from a model: as the arguments of a forced tool call and, when the model or its
 * provider does not support that, as JSON. Resolves to the parsed answer, or null when there was none.
 */
export async function completeStructured(
  chat: ChatModel,
  messages: readonly ChatMessage[],
  shape: AnswerShape,
  context: ComponentContext,
  fallsBackAfter: FallsBackAfter = isRefusal,
): Promise<PythonValue> {
  const name = shape.name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64);
  const described = shape.description === undefined ? {} : { description: shape.description };
  try {
    const answer = await completeChat(chat, messages, context, {
      tools: [{ name, ...described, parameters: shape.schema }],
      toolToCall: name,
    });
    const parsed = parsedAnswer(answer.toolCalls[0]?.argumentsText ?? answer.text);
    if (parsed !== null) return parsed;
  } catch (error) {
    if (!fallsBackAfter(error)) throw error;
  }
  const further = { shape: { name, schema: shape.schema }, fallsBackAfter };
  return asJson(chat, messages, further, context);
}

async function asJson(
  chat: ChatModel,
  messages: readonly ChatMessage[],
  { shape, fallsBackAfter }: { readonly shape: AnswerShape; readonly fallsBackAfter: FallsBackAfter },
  context: ComponentContext,
): Promise<PythonValue> {
  try {
    const answer = await completeChat(chat, messages, context, { shape });
    return parsedAnswer(answer.text);
  } catch (error) {
    if (!fallsBackAfter(error)) throw error;
    throw new ComponentError(
      'Model does not support tool calling (trustcall failed) and fallback with_structured_output also failed: ' +
        error.message,
      error,
      { permanent: error.permanent },
    );
  }
}

/** Returns true for every answer of a provider without a success status. */
export function isModelRefusal(error: unknown): error is ComponentError {
  return error instanceof ComponentError && error.cause instanceof ModelRefusal;
}

const refusals = [400, 404, 422];

/** Returns true for an error that means the provider does not accept such a request. */
function isRefusal(error: unknown): error is ComponentError {
  return isModelRefusal(error) && refusals.includes((error.cause as ModelRefusal).status);
}

/** Returns the object or list in a text, alone or between other words; null without one. */
export function parsedAnswer(text: string): PythonValue {
  for (const candidate of [text, between(text, '{', '}'), between(text, '[', ']')]) {
    try {
      const value = parsePythonJson(candidate);
      if (typeof value === 'object' && value !== null) return value;
    } catch {
      // Try the next candidate.
    }
  }
  return null;
}

function between(text: string, open: string, close: string): string {
  const start = text.indexOf(open);
  return start === -1 ? '' : text.slice(start, text.lastIndexOf(close) + 1);
}
