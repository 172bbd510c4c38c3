import type { Budget, BudgetScope } from '../limits/limits';

export type SpendPeriod = 'run' | 'day' | 'month';

/** Where spend is added up: for one run, or for what has a budget. */
export interface SpendKey {
  /** That of the run, or of its key for what is of the key. */
  readonly userId: string;
  readonly scope: BudgetScope | 'run';
  readonly objectId: string;
  readonly period: SpendPeriod;
}

/** The budget of one period that applies to a call. */
export interface AppliedBudget {
  readonly scope: BudgetScope;
  readonly spend: SpendKey;
  readonly dollars: number | null;
  readonly tokens: number | null;
  /** The share after which a warning is given. */
  readonly warnAt: number | null;
  /** Whether it is the budget of another user than that of the run: that of the key of a member. */
  readonly isForeign: boolean;
}

/** What a call of a model belongs to, where it has a budget. */
interface BudgetedCall {
  readonly runId: string;
  readonly userId: string;
  readonly budgets: readonly {
    readonly scope: BudgetScope;
    readonly userId: string;
    readonly objectId: string;
    readonly budget: Budget;
  }[];
}

/** Returns the budgets that apply to a call. The calls of a run are added up once, whatever limits them. */
export function appliedBudgets({ runId, userId: ofRun, budgets }: BudgetedCall): readonly AppliedBudget[] {
  return budgets
    .flatMap(({ scope, userId, objectId, budget }): AppliedBudget[] => {
      const isForeign = userId !== ofRun;
      // The callbacks of a flow report no budget of another user.
      const of = { scope, isForeign, warnAt: isForeign ? null : (budget.warnAt ?? null) };
      return [
        {
          ...of,
          spend: { userId: ofRun, scope: 'run', objectId: runId, period: 'run' },
          dollars: budget.dollarsPerRun ?? null,
          tokens: budget.tokensPerRun ?? null,
        },
        {
          ...of,
          spend: { userId, scope, objectId, period: 'day' },
          dollars: budget.dollarsPerDay ?? null,
          tokens: budget.tokensPerDay ?? null,
        },
        {
          ...of,
          spend: { userId, scope, objectId, period: 'month' },
          dollars: budget.dollarsPerMonth ?? null,
          tokens: budget.tokensPerMonth ?? null,
        },
      ];
    })
    .filter(({ dollars, tokens }) => dollars !== null || tokens !== null);
}

/** Returns the budget of each end user of a key with this one. Nothing warns of it. */
export function endUserBudget(budget: Budget | null): Budget | null {
  const { endUserDollarsPerDay: dollarsPerDay, endUserDollarsPerMonth: dollarsPerMonth } = budget ?? {};
  const { endUserTokensPerDay: tokensPerDay, endUserTokensPerMonth: tokensPerMonth } = budget ?? {};
  const given = Object.entries({ dollarsPerDay, dollarsPerMonth, tokensPerDay, tokensPerMonth });
  const known = given.filter(([, limit]) => limit !== undefined);
  return known.length === 0 ? null : Object.fromEntries(known);
}

/** Identifies where spend is added up, among those of one time. */
export function spendName({ userId, scope, objectId, period }: SpendKey): string {
  return `${userId} ${scope} ${objectId} ${period}`;
}
