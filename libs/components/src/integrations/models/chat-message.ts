import type { ToolCall } from './tool-call';

/** An image that is sent to a model with a text. */
export interface ChatImage {
  /** `image/png`, `image/jpeg`, … */
  readonly mimeType: string;
  readonly base64: string;
}

/** One turn of a conversation with a model, independent of the provider. */
export type ChatMessage =
  | { readonly role: 'system'; readonly content: string }
  | {
      readonly role: 'user';
      readonly content: string;
      readonly images?: readonly ChatImage[];
      /** Texts of files, each a part of its own after the content. */
      readonly texts?: readonly string[];
    }
  | {
      readonly role: 'assistant';
      readonly content: string;
      /** Tool calls that the model requested; a message of role `tool` answers each of them. */
      readonly toolCalls?: readonly ToolCall[];
      /** The thoughts with which the model requested them. */
      readonly reasoning?: string | undefined;
    }
  | { readonly role: 'tool'; readonly callId: string; readonly name: string; readonly content: string };

/** A turn of a conversation; instructions are kept separately. */
export type ChatTurn = Exclude<ChatMessage, { readonly role: 'system' }>;

/** Returns the texts of a message: its content unless it is empty, and those of its files. */
export function textsOf(message: ChatMessage): readonly string[] {
  const texts = message.role === 'user' ? (message.texts ?? []) : [];
  return message.content === '' ? texts : [message.content, ...texts];
}

/**
 * Splits a conversation for providers that take instructions separately from turns. Instructions without a turn, or
 * with one that says nothing, are sent as a user turn.
 */
export function splitInstructions(messages: readonly ChatMessage[]): {
  readonly instructions: string;
  readonly turns: readonly ChatTurn[];
} {
  const turns = messages.filter((message) => message.role !== 'system');
  const instructions = messages
    .filter(({ role, content }) => role === 'system' && content !== '')
    .map(({ content }) => content)
    .join('\n\n');
  const isSilent = turns.every(
    (turn) => turn.role === 'user' && textsOf(turn).length + (turn.images?.length ?? 0) === 0,
  );
  return !isSilent || instructions === ''
    ? { instructions, turns }
    : { instructions: '', turns: [{ role: 'user', content: instructions }] };
}
