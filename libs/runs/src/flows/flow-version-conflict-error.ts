/** The flow was changed after the caller had read it. */
export class FlowVersionConflictError extends Error {
  readonly flowId: string;
  /** The token of the flow's present state. */
  readonly versionToken: string;
  readonly updatedAt: Date;

  constructor({
    flowId,
    versionToken,
    updatedAt,
  }: Readonly<Record<'flowId' | 'versionToken', string>> & { readonly updatedAt: Date }) {
    super(`the flow ${flowId} was changed after the version that the caller names`);
    this.name = 'FlowVersionConflictError';
    this.flowId = flowId;
    this.versionToken = versionToken;
    this.updatedAt = updatedAt;
  }
}
