import type { ModelHandle } from '@millrace/flow';
import { ApiKey } from './api-key';
import type { ChatProtocol } from './chat-protocol';
import type { ModelEndpoint } from './model-endpoint';

/** Everything a call of a chat model needs besides the messages. */
export interface ChatModel extends ModelEndpoint {
  readonly model: string;
  readonly protocol: ChatProtocol;
  /** Further members of the request's body, such as temperature. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** The model as a value for a wire: other components call it with {@link chatModelOf}. */
export function chatModelHandle(chat: ChatModel): ModelHandle {
  return { kind: 'language-model', provider: chat.provider, model: chat.model, settings: { chat } };
}

/** The model behind a handle; null when another family of models made the handle. */
export function chatModelOf(handle: ModelHandle): ChatModel | null {
  const { chat } = handle.settings;
  return isChatModel(chat) ? chat : null;
}

function isChatModel(value: unknown): value is ChatModel {
  return typeof value === 'object' && value !== null && 'apiKey' in value && value.apiKey instanceof ApiKey;
}
