import { closedObject, orNull, text, namedObject } from '@millrace/messages';
import { endUserBudget } from '@millrace/runs';
import type { Budget, Spend } from '@millrace/runs';
import { closedBody } from '../../http/validation/body-schema';

const FIELDS = {
  dollars_per_run: 'dollarsPerRun',
  dollars_per_day: 'dollarsPerDay',
  dollars_per_month: 'dollarsPerMonth',
  tokens_per_run: 'tokensPerRun',
  tokens_per_day: 'tokensPerDay',
  tokens_per_month: 'tokensPerMonth',
  end_user_dollars_per_day: 'endUserDollarsPerDay',
  end_user_dollars_per_month: 'endUserDollarsPerMonth',
  end_user_tokens_per_day: 'endUserTokensPerDay',
  end_user_tokens_per_month: 'endUserTokensPerMonth',
  warn_at: 'warnAt',
} as const satisfies Readonly<Record<string, keyof Budget>>;

type Field = keyof typeof FIELDS;
const fields = Object.keys(FIELDS) as readonly Field[];

/** Of keys alone, and shown where it is set alone, so that what is read of others can be stored again. */
function isOfEndUsers(field: Field): boolean {
  return field.startsWith('end_user_');
}

/** A budget as a body; null and an absent member limit nothing. */
export type BudgetBody = Readonly<Partial<Record<Field, number | null>>>;

const dollars = { type: ['number', 'null'], minimum: 0, maximum: 10_000_000 } as const;
const tokens = { type: ['integer', 'null'], minimum: 0, maximum: 1_000_000_000_000 } as const;
const ofAll = {
  dollars_per_run: dollars,
  dollars_per_day: dollars,
  dollars_per_month: dollars,
  tokens_per_run: tokens,
  tokens_per_day: tokens,
  tokens_per_month: tokens,
  warn_at: { type: ['number', 'null'], minimum: 0.01, maximum: 1 },
} as const;
const nullable = { type: ['object', 'null'] } as const;
export const budgetBodySchema = { ...closedBody('BudgetBody', ofAll), ...nullable };
const ofKeys = {
  ...ofAll,
  end_user_dollars_per_day: dollars,
  end_user_dollars_per_month: dollars,
  end_user_tokens_per_day: tokens,
  end_user_tokens_per_month: tokens,
} as const;
export const keyBudgetBodySchema = { ...closedBody('KeyBudgetBody', ofKeys), ...nullable };

const number = { type: 'number' } as const;
export const budgetSchema = namedObject(
  'Budget',
  Object.fromEntries(fields.map((field) => [field, orNull(number)])),
  fields.filter(isOfEndUsers),
);

const spendOfPeriod = namedObject('Spend', {
  start: { ...text, format: 'date-time' },
  dollars: number,
  tokens: number,
  reserved_dollars: number,
  reserved_tokens: number,
  dollars_left: orNull(number),
  tokens_left: orNull(number),
});
export const spendSchema = closedObject({ day: spendOfPeriod, month: spendOfPeriod });

/** Returns the budget of a body; undefined for one that limits nothing. */
export function budgetOf(body: BudgetBody | null | undefined): Budget | undefined {
  const given = fields.flatMap((field) => {
    const value = body?.[field] ?? null;
    return value === null ? [] : [[FIELDS[field], value] as const];
  });
  return given.length === 0 ? undefined : (Object.fromEntries(given) as Budget);
}

/** Returns whether a budget has a share for the warning, and nothing that it is a share of. */
export function warnsOfNothing(budget: Budget | undefined): boolean {
  if (budget?.warnAt === undefined) return false;
  return Object.keys(budget).every((name) => name === 'warnAt' || name.startsWith('endUser'));
}

export function budgetView(budget: Budget | undefined): BudgetBody | null {
  if (budget === undefined) return null;
  return Object.fromEntries(
    fields.flatMap((field) => {
      const value = budget[FIELDS[field]] ?? null;
      return value === null && isOfEndUsers(field) ? [] : [[field, value] as const];
    }),
  );
}

/** Returns the budget of each end user of a key. */
export function ofEndUsers(budget: Budget): Budget {
  return endUserBudget(budget) ?? {};
}

/** Returns what is spent of a budget today and this month, and what is left of it. */
export function spendView(budget: Budget, spend: readonly Spend[]): Readonly<Record<string, object>> {
  return Object.fromEntries(
    spend.map(({ period, start, tokens: spentTokens, dollars: spentDollars, reserved }) => {
      const limits =
        period === 'day'
          ? { dollars: budget.dollarsPerDay, tokens: budget.tokensPerDay }
          : { dollars: budget.dollarsPerMonth, tokens: budget.tokensPerMonth };
      return [
        period,
        {
          start: start.toISOString(),
          dollars: rounded(spentDollars),
          tokens: spentTokens,
          reserved_dollars: rounded(reserved.dollars),
          reserved_tokens: reserved.tokens,
          dollars_left: left(limits.dollars, spentDollars + reserved.dollars),
          tokens_left: left(limits.tokens, spentTokens + reserved.tokens),
        },
      ];
    }),
  );
}

function left(limit: number | undefined, counted: number): number | null {
  return limit === undefined ? null : rounded(Math.max(0, limit - counted));
}

/** Removes binary fractions below a millionth of a cent. */
function rounded(amount: number): number {
  return Math.round(amount * 1e8) / 1e8;
}
