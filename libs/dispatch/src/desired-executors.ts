/** How many runs an executor shall have, and the limits of a pool. */
export interface AutoscaleRule {
  readonly targetRuns: number;
  readonly minimumExecutors: number;
  readonly maximumExecutors: number;
}

export interface DesiredExecutors {
  readonly desired: number;
  /** How the number was computed, as a sentence for people. */
  readonly arithmetic: string;
}

/** Computes how many executors a pool needs for the runs that wait and those that are executed. */
export function desiredExecutors(
  { waiting, busy }: { readonly waiting: number; readonly busy: number },
  { targetRuns, minimumExecutors, maximumExecutors }: AutoscaleRule,
): DesiredExecutors {
  const needed = Math.ceil((waiting + busy) / targetRuns);
  const desired = Math.min(Math.max(needed, minimumExecutors), maximumExecutors);
  const limit =
    needed > maximumExecutors
      ? `, at most ${maximumExecutors}`
      : needed < minimumExecutors
        ? `, at least ${minimumExecutors}`
        : '';
  return { desired, arithmetic: `ceil((${waiting} + ${busy}) / ${targetRuns}) = ${needed}${limit}` };
}
