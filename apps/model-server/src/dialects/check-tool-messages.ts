import { isObject } from '../json-object';
import type { JsonObject } from '../json-object';
import { ModelServerError } from '../model-server-error';

/**
 * Checks, as OpenAI's API does, that the results of tool calls directly follow the calls, and that every result belongs
 * to a call. Throws ModelServerError 400 otherwise.
 */
export function checkToolMessages(messages: readonly JsonObject[]): void {
  let open = new Set<string>();
  for (const [index, message] of messages.entries()) {
    if (message['role'] === 'tool') {
      const id = message['tool_call_id'];
      if (typeof id !== 'string' || !open.delete(id))
        throw new ModelServerError(
          400,
          `'messages[${index}]' does not belong to a tool call of the message before it.`,
        );
      continue;
    }
    refuseOpen(open);
    open = new Set(message['role'] === 'assistant' ? callIds(message, index) : []);
  }
  refuseOpen(open);
}

function refuseOpen(open: ReadonlySet<string>): void {
  if (open.size === 0) return;
  throw new ModelServerError(400, `These tool calls have no result: ${[...open].join(', ')}.`);
}

function callIds(message: JsonObject, index: number): readonly string[] {
  const calls = message['tool_calls'] ?? [];
  if (!Array.isArray(calls))
    throw new ModelServerError(400, `'messages[${index}].tool_calls' must be an array.`);
  return calls.map((call: unknown) => {
    const called = isObject(call) && isObject(call['function']) ? call['function'] : undefined;
    if (
      !isObject(call) ||
      typeof call['id'] !== 'string' ||
      typeof called?.['name'] !== 'string' ||
      typeof called['arguments'] !== 'string'
    )
      throw new ModelServerError(400, `'messages[${index}].tool_calls' contains an incomplete call.`);
    return call['id'];
  });
}
