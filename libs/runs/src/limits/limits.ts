/** What a limit is about. */
export type LimitScope = 'key' | 'user' | 'project' | 'flow';

/** What a budget is of. */
export type BudgetScope = LimitScope | 'end_user';

/** How much the calls of models can spend; an absent member limits nothing. Days and months are those of UTC. */
export interface Budget {
  /** In US dollars, at the list prices of the models. */
  readonly dollarsPerRun?: number;
  readonly dollarsPerDay?: number;
  readonly dollarsPerMonth?: number;
  /** Of requests and answers together. */
  readonly tokensPerRun?: number;
  readonly tokensPerDay?: number;
  readonly tokensPerMonth?: number;
  /** Of each end user, of a key that acts for them. */
  readonly endUserDollarsPerDay?: number;
  readonly endUserDollarsPerMonth?: number;
  readonly endUserTokensPerDay?: number;
  readonly endUserTokensPerMonth?: number;
  /** The share of a budget, above 0 and at most 1, after which a warning is given. */
  readonly warnAt?: number;
}

/** How much can be asked for. An absent member limits nothing. */
export interface Limits {
  /** Requests a second: of a key and a user all of them, of a project and a flow those that run it. */
  readonly requestsPerSecond?: number;
  /** Runs at the same time, those of callers and released background runs together; of a user, project or flow. */
  readonly concurrentRuns?: number;
  /** Background runs that no executor has begun, of a user, project or flow. */
  readonly waitingRuns?: number;
  /** Of a project: how many of its runs start for one of another project of its user, while runs of both wait; 1 unless given. */
  readonly weight?: number;
  /** Bytes a day (UTC) of the bodies of requests, as they are sent; of a project and a flow of those that run it. */
  readonly bodyBytesPerDay?: number;
  /** Bytes a day of uploaded files; of a project and a flow those of the flow. */
  readonly fileBytesPerDay?: number;
  /** Requests a second that run a flow for one end user, of a key that acts for them. */
  readonly endUserRequestsPerSecond?: number;
  /** Runs of one end user whose callers wait at the same time, of such a key. */
  readonly endUserConcurrentRuns?: number;
  /** What the calls of models of its runs can spend. */
  readonly budget?: Budget;
}

/** The limits of each scope that has any. */
export type ScopedLimits = { readonly [Scope in LimitScope]?: Limits };

/** SQL of the ScopedLimits of a row of `flows`; null without any. */
export const FLOW_LIMITS = `nullif(jsonb_strip_nulls(jsonb_build_object('flow', flows.limits,
  'project', (SELECT limits FROM projects WHERE projects.id = flows.folder_id AND projects.user_id = flows.user_id),
  'user', (SELECT limits FROM users WHERE users.id = flows.user_id))), '{}')`;

/** SQL of the ScopedLimits of a key, from the tables with these names; null without any. */
export function keyLimits(keys: string): string {
  return `nullif(jsonb_strip_nulls(jsonb_build_object('key', ${keys}.limits, 'user', users.limits)), '{}')`;
}
