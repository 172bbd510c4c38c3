import type { JsonObject } from './json-object';
import type { ToolOffer } from './offered-tools';

/** The parts of a request for a chat answer that matter here, whatever the protocol. */
export interface ChatRequest {
  readonly model: string;
  /** The text of every message, in order. */
  readonly texts: readonly string[];
  readonly lastUserText: string;
  readonly offer: ToolOffer;
  /** How often the model has called tools since the user spoke. */
  readonly callsMade: number;
  /** What the tools that were called last gave; empty when nothing was. */
  readonly toolResults: readonly string[];
  /** What the text has to be as JSON; null when any text will do. */
  readonly answerSchema: JsonObject | null;
  readonly stream: boolean;
  readonly includeUsage: boolean;
  readonly maximumTokens: number | undefined;
}
