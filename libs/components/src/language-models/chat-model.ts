import type { ModelHandle } from '@millrace/flow';
import { ApiKey } from './api-key';

/** Everything a call of a chat model needs besides the messages. */
export interface ChatModel {
  /** Who answers, as people call it. */
  readonly provider: string;
  /** Where `/chat/completions` is found. */
  readonly baseUrl: string;
  readonly apiKey: ApiKey;
  /** The header that carries the key, where it is not the usual one. */
  readonly keyHeader: string | null;
  readonly model: string;
  /** Further members of the request's body, such as temperature. */
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
  /** Added to the address of every call. */
  readonly query: Readonly<Record<string, string>>;
  /** How often a call that failed for a passing reason is tried again. */
  readonly maximumRetries: number;
  /** At most this long for one try; the run's own time limits it, too. */
  readonly timeoutMilliseconds: number;
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
