/** A model's wish to have a tool called. */
export interface ToolCall {
  /** Under this id the model expects the answer. */
  readonly id: string;
  readonly name: string;
  /** The arguments as the model wrote them: JSON, if it kept to the rules. */
  readonly argumentsText: string;
  /** What the provider wants to see again with the call, unread. */
  readonly signature?: string;
}
