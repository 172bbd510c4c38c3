/** What `runs.dead` is told of a run that was given up: the body of a message of type `dead-run`, as JSON. */
export interface DeadLetter {
  readonly runId: string;
  readonly flowId: string;
  readonly flowVersion: number;
  readonly userId: string;
  readonly lane: string;
  readonly pool: string;
  /** How often it was tried. */
  readonly attempts: number;
  /** A RunErrorCode. */
  readonly reason: string;
  readonly message: string;
  /** ISO 8601, as is `diedAt`. */
  readonly acceptedAt: string;
  readonly diedAt: string;
}
