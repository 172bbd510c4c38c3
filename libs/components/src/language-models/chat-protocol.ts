import type { ComponentContext, MessageUsage } from '@millrace/flow';
import type { ChatMessage } from './chat-message';
import type { ChatModel } from './chat-model';
import type { ChatParameters } from './chat-parameters';
import type { ToolCall } from './tool-call';

/** A function that a model may call. */
export interface ToolDefinition {
  readonly name: string;
  readonly description?: string;
  /** The JSON Schema of its arguments, which are an object. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** What an answer must look like. */
export interface AnswerShape {
  readonly name: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

/** What a call asks for besides an answer to its messages. */
export interface ChatWishes {
  readonly tools?: readonly ToolDefinition[];
  /** The tool that has to be called. */
  readonly toolToCall?: string;
  /** The answer is to be JSON of this shape. */
  readonly shape?: AnswerShape;
}

export interface ChatQuestion extends ChatWishes {
  readonly messages: readonly ChatMessage[];
}

export interface ChatAnswer {
  readonly text: string;
  /** What the model wants to have called before it goes on. */
  readonly toolCalls: readonly ToolCall[];
  readonly usage: MessageUsage | null;
}

/** How one kind of provider is spoken to. A call ends with its run; what goes wrong is a ComponentError. */
export interface ChatProtocol {
  /** The members of a request's body that an author's settings stand for. */
  parameters(model: string, settings: ChatParameters): Readonly<Record<string, unknown>>;
  /** The whole answer. */
  complete(chat: ChatModel, question: ChatQuestion, context: ComponentContext): Promise<ChatAnswer>;
  /** The text of an answer chunk by chunk, and the whole answer at the end. */
  stream(
    chat: ChatModel,
    question: ChatQuestion,
    context: ComponentContext,
  ): AsyncGenerator<string, ChatAnswer, undefined>;
}
