/** The user and flow of a run, and its signal. */
export interface ResourceOwner {
  readonly userId: string;
  readonly flowId: string;
  readonly signal: AbortSignal;
}
