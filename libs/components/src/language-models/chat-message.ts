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

/** The instructions of a conversation as one text, for providers that take them apart from its turns. */
export function instructionsOf(messages: readonly ChatMessage[]): string {
  return messages
    .filter(({ role, content }) => role === 'system' && content !== '')
    .map(({ content }) => content)
    .join('\n\n');
}
