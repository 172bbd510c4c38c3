import type { JsonObject } from './json-object';
import type { ToolOffer } from './offered-tools';

/** The relevant parts of a chat request, independent of the protocol. */
export interface ChatRequest {
  readonly model: string;
  /** The text of every message, in order. */
  readonly texts: readonly string[];
  readonly lastUserText: string;
  readonly offer: ToolOffer;
  /** Number of tool calls of the model since the last user message. */
  readonly callsMade: number;
  /** Results of the last tool calls; empty when there are none. */
  readonly toolResults: readonly string[];
  /** JSON Schema of the answer; null for plain text. */
  readonly answerSchema: JsonObject | null;
  readonly stream: boolean;
  readonly includeUsage: boolean;
  readonly maximumTokens: number | undefined;
}
