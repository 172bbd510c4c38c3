import type { BudgetScope } from '../limits/limits';
import { spendName } from './budget';
import type { AppliedBudget, SpendPeriod } from './budget';

/** Tokens and US dollars. */
export interface Amount {
  readonly tokens: number;
  readonly dollars: number;
}

/** The worst case of a call. */
export interface WorstCase {
  readonly tokens: number;
  /** Null for a model without a list price. */
  readonly dollars: number | null;
}

/** Why a call is not made. */
export interface BudgetRefusal {
  readonly scope: BudgetScope;
  readonly period: SpendPeriod;
  readonly unit: 'tokens' | 'dollars';
  readonly limit: number;
  /** What is spent or reserved. */
  readonly counted: number;
  /** What the call can cost; null for a model without a list price. */
  readonly wanted: number | null;
  /** Set for the budget of another user, whose figures the user of the run must not see. */
  readonly isForeign?: true;
}

/** Sums of dollars have binary fractions far below the smallest price. */
const ROUNDING = 1e-9;

/**
 * Decides in order which calls fit into their budgets, beside `counted`, which has the spend and the reservations so far by the
 * name of the spend. Returns the refusal of each call, or null for one that fits.
 */
export function decideReservations(
  calls: readonly (WorstCase & { readonly budgets: readonly AppliedBudget[] })[],
  counted: ReadonlyMap<string, Amount>,
): readonly (BudgetRefusal | null)[] {
  const totals = new Map(counted);
  return calls.map(({ budgets, tokens, dollars }) => {
    for (const applied of budgets) {
      const total = totals.get(spendName(applied.spend)) ?? { tokens: 0, dollars: 0 };
      const refusal = refusalOf(applied, total, { tokens, dollars });
      if (refusal !== null) return refusal;
    }
    for (const name of new Set(budgets.map(({ spend }) => spendName(spend)))) {
      const total = totals.get(name) ?? { tokens: 0, dollars: 0 };
      totals.set(name, { tokens: total.tokens + tokens, dollars: total.dollars + (dollars ?? 0) });
    }
    return null;
  });
}

function refusalOf(applied: AppliedBudget, total: Amount, call: WorstCase): BudgetRefusal | null {
  const { scope, spend, isForeign } = applied;
  const of = { scope, period: spend.period, ...(isForeign && { isForeign }) };
  if (applied.tokens !== null && total.tokens + call.tokens > applied.tokens)
    return { ...of, unit: 'tokens', limit: applied.tokens, counted: total.tokens, wanted: call.tokens };
  if (applied.dollars === null) return null;
  if (call.dollars !== null && total.dollars + call.dollars <= applied.dollars + ROUNDING) return null;
  return { ...of, unit: 'dollars', limit: applied.dollars, counted: total.dollars, wanted: call.dollars };
}
