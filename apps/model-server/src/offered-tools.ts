import type { JsonObject } from './json-object';

/** A function that the caller offers. */
export interface OfferedTool {
  readonly name: string;
  /** The JSON Schema of its arguments. */
  readonly parameters: JsonObject;
}

/** The functions of a request, and whether one of them has to be called. */
export interface ToolOffer {
  readonly tools: readonly OfferedTool[];
  /** The name of the one to call, `required` for any, `auto` when text will do as well. */
  readonly choice: { readonly name: string } | 'required' | 'auto' | 'none';
}
