import type { ChatModel } from './chat-protocol';
import { ModelRefusal } from './model-failure';

/** The words of providers whose models take no temperature, or one alone. Other words can mean a value out of its range. */
const refusals = [
  '`temperature` is deprecated',
  'temperature is deprecated',
  "'temperature' is not supported",
  "'temperature' does not support",
];

/** The parameters of models that refused their temperature; all calls of a model share them. */
const refused = new WeakSet<ChatModel['parameters']>();

/** Makes a call, and once more without the temperature where the provider refuses it, as Langflow. */
export async function withAcceptedTemperature<Result>(
  chat: ChatModel,
  call: (chat: ChatModel) => Promise<Result>,
): Promise<Result> {
  if (refused.has(chat.parameters)) return call(withoutTemperature(chat));
  try {
    return await call(chat);
  } catch (error) {
    if (!('temperature' in chat.parameters) || !isRefusal(error)) throw error;
    refused.add(chat.parameters);
    return call(withoutTemperature(chat));
  }
}

function withoutTemperature(chat: ChatModel): ChatModel {
  const kept = Object.entries(chat.parameters).filter(([name]) => name !== 'temperature');
  return { ...chat, parameters: Object.fromEntries(kept) };
}

function isRefusal(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  if (!(cause instanceof ModelRefusal)) return false;
  const text = `${cause.message} ${cause.said ?? ''}`.toLowerCase();
  return refusals.some((words) => text.includes(words));
}
