import type { ComponentContext } from '@millrace/flow';
import type { MessageUsage } from '@millrace/python-text';
import type { ChatMessage } from './chat-message';
import type { ChatParameters } from './chat-parameters';
import type { ToolCall } from './tool-call';
import type { ModelEndpoint } from './model-endpoint';

/** A function that a model can call. */
export interface ToolDefinition {
  readonly name: string;
  readonly description?: string;
  /** The JSON Schema of its arguments object. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** The required shape of an answer. */
export interface AnswerShape {
  readonly name: string;
  readonly description?: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

/** The options of a call besides its messages. */
export interface ChatOptions {
  readonly tools?: readonly ToolDefinition[];
  /** The tool that the model must call. */
  readonly toolToCall?: string;
  /** The answer must be JSON of this shape. */
  readonly shape?: AnswerShape;
}

export interface ChatRequest extends ChatOptions {
  readonly messages: readonly ChatMessage[];
}

export interface ChatAnswer {
  readonly text: string;
  /** Tool calls that the model requests before it continues. */
  readonly toolCalls: readonly ToolCall[];
  /** The model's thoughts, which some providers require back with the results of the calls. */
  readonly reasoning?: string;
  readonly usage: MessageUsage | null;
  /** The model that answered, if the provider names it. */
  readonly model?: string | undefined;
  /** The words with which the model refused to answer. */
  readonly refusal?: string;
  /** Why the answer ended, in the words of the provider. */
  readonly finishReason?: string | undefined;
}

/** How to call one kind of provider. A call ends with its run; a failure is a ComponentError. */
export interface ChatProtocol {
  /** Returns the members of the request body for an author's settings. */
  parameters(model: string, settings: ChatParameters): Readonly<Record<string, unknown>>;
  /** Returns the whole answer. */
  complete(chat: ChatModel, request: ChatRequest, context: ComponentContext): Promise<ChatAnswer>;
  /** Yields the text of an answer chunk by chunk, and returns the whole answer. */
  stream(
    chat: ChatModel,
    request: ChatRequest,
    context: ComponentContext,
  ): AsyncGenerator<string, ChatAnswer, undefined>;
}

/** Everything that a call of a chat model needs besides the messages. */
export interface ChatModel extends ModelEndpoint {
  readonly model: string;
  readonly protocol: ChatProtocol;
  /** Additional members of the request body, such as temperature. */
  readonly parameters: Readonly<Record<string, unknown>>;
}
