import type { ToolCall } from './tool-call';

/** An image that goes to a model with a text. */
export interface ChatImage {
  /** `image/png`, `image/jpeg`, … */
  readonly mimeType: string;
  readonly base64: string;
}

/** One turn of a conversation with a model, whoever provides it. */
export type ChatMessage =
  | { readonly role: 'system'; readonly content: string }
  | { readonly role: 'user'; readonly content: string; readonly images?: readonly ChatImage[] }
  | {
      readonly role: 'assistant';
      readonly content: string;
      /** What it wanted to have called; each is answered by a message of a tool. */
      readonly toolCalls?: readonly ToolCall[];
    }
  | { readonly role: 'tool'; readonly callId: string; readonly name: string; readonly content: string };

/** A turn of a conversation, its instructions apart. */
export type ChatTurn = Exclude<ChatMessage, { readonly role: 'system' }>;

/**
 * A conversation for providers that take instructions apart from turns. Instructions that nothing follows are what is
 * asked.
 */
export function dialogueOf(messages: readonly ChatMessage[]): {
  readonly instructions: string;
  readonly turns: readonly ChatTurn[];
} {
  const turns = messages.filter((message) => message.role !== 'system');
  const instructions = messages
    .filter(({ role, content }) => role === 'system' && content !== '')
    .map(({ content }) => content)
    .join('\n\n');
  return turns.length > 0
    ? { instructions, turns }
    : { instructions: '', turns: [{ role: 'user', content: instructions }] };
}
