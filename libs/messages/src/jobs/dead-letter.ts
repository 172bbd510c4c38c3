/** The dead letter of a run in `runs.dead`: the body of a message of type `dead-run`, as JSON. */
export interface DeadLetter {
  readonly runId: string;
  readonly flowId: string;
  readonly flowVersion: number;
  readonly userId: string;
  readonly lane: string;
  readonly pool: string;
  /** Number of attempts. */
  readonly attempts: number;
  /** A RunErrorCode. */
  readonly reason: string;
  readonly message: string;
  /** ISO 8601, as is `diedAt`. */
  readonly acceptedAt: string;
  readonly diedAt: string;
}
