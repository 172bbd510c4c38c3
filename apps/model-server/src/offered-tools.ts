import type { JsonObject } from './json-object';

/** A function that the caller offers to the model. */
export interface OfferedTool {
  readonly name: string;
  /** The JSON Schema of its arguments. */
  readonly parameters: JsonObject;
}

/** The functions of a request, and which of them must be called. */
export interface ToolOffer {
  readonly tools: readonly OfferedTool[];
  /**
   * The name of the function to call; `required` for any function, `auto` for a function or text, `none` for text only.
   */
  readonly choice: { readonly name: string } | 'required' | 'auto' | 'none';
}
