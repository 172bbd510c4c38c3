/** A run of AG-UI. It ends when the flow asks a person, and another one continues it. */
export interface AguiRun {
  /** Id of the last event before this run; 0 for the first one. */
  readonly since: number;
  /** The calls of tools that a person has decided about, the oldest first. */
  readonly decided: readonly ProposedCall[];
}

/** A call of a tool that a person decides about. */
export interface ProposedCall {
  readonly id: string;
  readonly name: string;
  /** With which it is made; absent where a person may have edited them. */
  readonly args?: unknown;
}
