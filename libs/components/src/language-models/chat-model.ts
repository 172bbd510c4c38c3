import type { ModelHandle } from '@millrace/flow';
import { ApiKey } from './api-key';
import type { ChatProtocol } from './chat-protocol';
import type { ModelEndpoint } from './model-endpoint';

/** Everything that a call of a chat model needs besides the messages. */
export interface ChatModel extends ModelEndpoint {
  readonly model: string;
  readonly protocol: ChatProtocol;
  /** Additional members of the request body, such as temperature. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** Returns the model as a value for an edge; other components read it with {@link chatModelOf}. */
export function chatModelHandle(chat: ChatModel): ModelHandle {
  return { kind: 'language-model', provider: chat.provider, model: chat.model, settings: { chat } };
}

/** Returns the model behind a handle, or null when the handle is of another family of models. */
export function chatModelOf(handle: ModelHandle): ChatModel | null {
  const { chat } = handle.settings;
  return isChatModel(chat) ? chat : null;
}

function isChatModel(value: unknown): value is ChatModel {
  return typeof value === 'object' && value !== null && 'apiKey' in value && value.apiKey instanceof ApiKey;
}
