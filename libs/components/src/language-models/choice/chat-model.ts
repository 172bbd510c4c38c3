import type { ChatModel } from '../../integrations/models/chat-protocol';
import type { ModelHandle } from '@millrace/flow';
import { ApiKey } from '../../integrations/models/api-key';

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
