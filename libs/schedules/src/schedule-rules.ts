/** When a schedule occurs. Instants are milliseconds since the epoch. */
export type ScheduleTiming =
  | { readonly kind: 'cron'; readonly cron: string; readonly zone: string }
  | { readonly kind: 'interval'; readonly everySeconds: number; readonly start: number }
  | { readonly kind: 'once'; readonly at: number };

export const catchupPolicies = ['coalesce', 'skip', 'all'] as const;
/** What happens to occurrences that were missed: they fire as one, not at all, or each. */
export type CatchupPolicy = (typeof catchupPolicies)[number];

export const overlapPolicies = ['queue', 'skip', 'allow'] as const;
/** What happens to an occurrence while earlier ones of the schedule run: it waits, does not fire, or runs beside them. */
export type OverlapPolicy = (typeof overlapPolicies)[number];

/** The rules of a schedule. */
export interface ScheduleRules {
  readonly timing: ScheduleTiming;
  readonly catchup: CatchupPolicy;
  /** How many missed occurrences fire with the policy `all`: the newest ones. */
  readonly catchupLimit: number;
  /** An occurrence fires up to this much later; the delay of an occurrence is always the same. */
  readonly jitterSeconds: number;
  readonly overlap: OverlapPolicy;
}
