/** A tool call that a model requests. */
export interface ToolCall {
  /** The id that the answer to the model must repeat. */
  readonly id: string;
  readonly name: string;
  /** The arguments as the model wrote them; JSON if the model followed the protocol. */
  readonly argumentsText: string;
  /** An opaque value that the provider expects back with the call. */
  readonly signature?: string;
}
