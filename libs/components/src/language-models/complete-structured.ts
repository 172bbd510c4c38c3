import { ComponentError, parsePythonJson } from '@millrace/flow';
import type { ComponentContext, PythonValue } from '@millrace/flow';
import { completeChat } from './chat-completion';
import type { ChatMessage } from './chat-message';
import type { ChatModel } from './chat-model';
import type { AnswerShape } from './chat-protocol';

/**
 * Asks a model for an answer of a given shape: as the arguments of a call it has to make, and when the model or its
 * provider cannot do that, as JSON. Resolves to what it gave, parsed; null when that was nothing.
 */
export async function completeStructured(
  chat: ChatModel,
  messages: readonly ChatMessage[],
  shape: AnswerShape,
  context: ComponentContext,
): Promise<PythonValue> {
  const name = shape.name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64);
  try {
    const answer = await completeChat(chat, messages, context, {
      tools: [{ name, parameters: shape.schema }],
      toolToCall: name,
    });
    const parsed = parsedAnswer(answer.toolCalls[0]?.argumentsText ?? answer.text);
    if (parsed !== null) return parsed;
  } catch (error) {
    if (!isRefusal(error)) throw error;
  }
  return asJson(chat, messages, { name, schema: shape.schema }, context);
}

async function asJson(
  chat: ChatModel,
  messages: readonly ChatMessage[],
  shape: AnswerShape,
  context: ComponentContext,
): Promise<PythonValue> {
  try {
    const answer = await completeChat(chat, messages, context, { shape });
    return parsedAnswer(answer.text);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    throw new ComponentError(
      'Model does not support tool calling (trustcall failed) and fallback with_structured_output also failed: ' +
        error.message,
      error,
    );
  }
}

const refusals = [400, 404, 422];

/** True for a request that the provider does not take, as it is or at all. */
function isRefusal(error: unknown): error is ComponentError {
  if (!(error instanceof ComponentError)) return false;
  const { cause } = error;
  return cause instanceof Error && 'status' in cause && refusals.some((status) => status === cause.status);
}

/** The object or list that a text holds, on its own or between other words; null without one. */
export function parsedAnswer(text: string): PythonValue {
  for (const candidate of [text, between(text, '{', '}'), between(text, '[', ']')]) {
    try {
      const value = parsePythonJson(candidate);
      if (typeof value === 'object' && value !== null) return value;
    } catch {
      // The next candidate may do.
    }
  }
  return null;
}

function between(text: string, open: string, close: string): string {
  const start = text.indexOf(open);
  return start === -1 ? '' : text.slice(start, text.lastIndexOf(close) + 1);
}
