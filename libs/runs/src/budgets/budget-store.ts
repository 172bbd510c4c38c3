import type { Database, Queryable } from '@millrace/database';
import { storableText } from '@millrace/python-text';
import { insertBudgetCallbacksSql } from '../callbacks/insert-callbacks';
import type { Budget, BudgetScope } from '../limits/limits';
import { endUserId } from './spend';
import { WAITS_BRIEFLY } from '../lock-timeout';
import { retryOnDeadlock } from '../retry-on-deadlock';
import { appliedBudgets, endUserBudget, spendName } from './budget';
import type { AppliedBudget, SpendKey } from './budget';
import { decideReservations } from './decide-reservations';
import type { Amount, BudgetRefusal, WorstCase } from './decide-reservations';

/** A call of a model that is about to be sent. */
export interface CallToReserve extends WorstCase {
  readonly id: string;
  readonly runId: string;
  readonly flowId: string;
  readonly keyId: string | null;
  /** That of an end user begins with their name. */
  readonly sessionId: string;
}

/** What becomes of it: `free` where no budget applies, so that nothing was stored. */
export type ReservationOutcome = 'free' | 'reserved' | BudgetRefusal;

/** What a reserved call cost; null for a number that is not known, in whose place the worst case counts. */
export interface EndedCall {
  readonly id: string;
  readonly tokens: number | null;
  readonly dollars: number | null;
}

const WITH_BUDGET = `limits ? 'budget'`;
const USERS = {
  name: 'budget-users',
  text: `SELECT id FROM users WHERE ${WITH_BUDGET} UNION SELECT user_id FROM projects WHERE ${WITH_BUDGET}
    UNION SELECT user_id FROM flows WHERE ${WITH_BUDGET} UNION SELECT id FROM api_keys WHERE ${WITH_BUDGET} LIMIT $1`,
};

const OF_CALLS = {
  name: 'budgets-of-calls',
  text: `SELECT users.limits -> 'budget' AS user, flows.limits -> 'budget' AS flow, projects.limits -> 'budget' AS project,
      api_keys.limits -> 'budget' AS key, api_keys.user_id AS "keyUserId", projects.id AS "projectId",
      CASE WHEN api_keys.bounds ? 'endUsers' AND strpos(given.session_id, '::') > 1
        THEN ${endUserId(`split_part(given.session_id, '::', 1)`)} END AS "endUserId"
    FROM unnest($2::uuid[], $3::uuid[], $4::text[]) WITH ORDINALITY AS given (flow_id, key_id, session_id, number)
    JOIN users ON users.id = $1 AND ${WAITS_BRIEFLY}
    LEFT JOIN flows ON flows.id = given.flow_id AND flows.user_id = $1
    LEFT JOIN projects ON projects.id = flows.folder_id AND projects.user_id = $1
    LEFT JOIN api_keys ON api_keys.id = given.key_id
    ORDER BY given.number`,
};

interface BudgetsOfCall {
  readonly user: Budget | null;
  readonly flow: Budget | null;
  readonly project: Budget | null;
  readonly key: Budget | null;
  /** Another one than that of the run where a member asked for it. */
  readonly keyUserId: string | null;
  readonly projectId: string | null;
  readonly endUserId: string | null;
}

const GIVEN = `jsonb_to_recordset($1::jsonb) AS given ("userId" uuid, scope text, "objectId" uuid, period text)`;
const START = `CASE given.period WHEN 'run' THEN to_timestamp(0) ELSE date_trunc(given.period, now(), 'UTC') END`;

const LOCK = {
  name: 'budget-spend-lock',
  text: `SELECT spend.id, spend.user_id AS "userId", spend.scope, spend.object_id AS "objectId", spend.period,
      (spend.tokens + spend.reserved_tokens)::float8 AS tokens, (spend.dollars + spend.reserved_dollars)::float8 AS dollars
    FROM ${GIVEN} JOIN budget_spend AS spend ON spend.user_id = given."userId" AND spend.scope = given.scope
      AND spend.object_id = given."objectId" AND spend.period = given.period AND spend.start = ${START}
    ORDER BY spend.id FOR UPDATE OF spend`,
};

const CREATE = {
  name: 'budget-spend-create',
  text: `INSERT INTO budget_spend (id, user_id, scope, object_id, period, start)
    SELECT gen_random_uuid(), given."userId", given.scope, given."objectId", given.period, ${START} FROM ${GIVEN}
    ORDER BY given."userId", given.scope, given."objectId", given.period ON CONFLICT DO NOTHING`,
};

const RESERVE = {
  name: 'budget-reserve',
  text: `WITH reserved AS (
      INSERT INTO budget_reservations (id, user_id, run_id, flow_id, spend_ids, tokens, dollars)
      SELECT given.id, $1, given."runId", given."flowId", ARRAY(SELECT jsonb_array_elements_text(given.spend)::uuid), given.tokens, given.dollars
      FROM jsonb_to_recordset($2::jsonb) AS given (id uuid, "runId" uuid, "flowId" uuid, spend jsonb, tokens bigint, dollars numeric)
      RETURNING spend_ids, tokens, dollars
    ), sums AS (
      SELECT spend_id, sum(tokens) AS tokens, sum(dollars) AS dollars
      FROM reserved CROSS JOIN unnest(spend_ids) AS spend_id GROUP BY spend_id
    )
    UPDATE budget_spend AS spend SET reserved_tokens = reserved_tokens + sums.tokens,
      reserved_dollars = reserved_dollars + sums.dollars, updated_at = now(), limit_tokens = limits.tokens,
      limit_dollars = limits.dollars,
      -- A run of another user leaves the warning to runs of the user of the key.
      warn_tokens = CASE WHEN spend.user_id = $1 THEN limits."warnTokens" ELSE spend.warn_tokens END,
      warn_dollars = CASE WHEN spend.user_id = $1 THEN limits."warnDollars" ELSE spend.warn_dollars END
    FROM sums JOIN jsonb_to_recordset($3::jsonb)
      AS limits (id uuid, tokens bigint, dollars numeric, "warnTokens" numeric, "warnDollars" numeric) ON limits.id = sums.spend_id
    WHERE spend.id = sums.spend_id`,
};

const LOCK_OF_ENDED = {
  name: 'budget-settle-lock',
  text: `SELECT id FROM budget_spend WHERE ${WAITS_BRIEFLY} AND id IN (
      SELECT unnest(spend_ids) FROM budget_reservations WHERE id = ANY($1::uuid[])) ORDER BY id FOR UPDATE`,
};

// The callbacks of a flow report no budget of another user.
const PASSES = `NOT spend.warned AND spend.user_id = sums.user_id AND coalesce(spend.tokens + sums.tokens >= spend.warn_tokens
  OR spend.dollars + sums.dollars >= spend.warn_dollars, false)`;
// A call that was settled before has no row, so that it is not counted twice.
const SETTLE = {
  name: 'budget-settle',
  text: `WITH ended AS (
      DELETE FROM budget_reservations AS reserved
      USING jsonb_to_recordset($1::jsonb) AS given (id uuid, tokens bigint, dollars numeric)
      WHERE reserved.id = given.id
      RETURNING reserved.user_id, reserved.run_id, reserved.flow_id, reserved.spend_ids, reserved.tokens AS reserved_tokens, reserved.dollars AS reserved_dollars,
        coalesce(given.tokens, reserved.tokens) AS tokens, coalesce(given.dollars, reserved.dollars) AS dollars
    ), sums AS (
      SELECT spend_id, sum(tokens) AS tokens, sum(dollars) AS dollars, sum(reserved_tokens) AS reserved_tokens,
        sum(reserved_dollars) AS reserved_dollars, min(user_id::text)::uuid AS user_id, min(run_id::text)::uuid AS run_id, min(flow_id::text)::uuid AS flow_id
      FROM ended CROSS JOIN unnest(spend_ids) AS spend_id GROUP BY spend_id
    )
    UPDATE budget_spend AS spend SET tokens = spend.tokens + sums.tokens, dollars = spend.dollars + sums.dollars,
      reserved_tokens = spend.reserved_tokens - sums.reserved_tokens,
      reserved_dollars = spend.reserved_dollars - sums.reserved_dollars, updated_at = now(),
      warned = spend.warned OR ${PASSES}
    FROM sums JOIN budget_spend AS before ON before.id = sums.spend_id WHERE spend.id = sums.spend_id
    RETURNING spend.id, sums.run_id AS "runId", sums.flow_id AS "flowId", spend.warned AND NOT before.warned AS "passes"`,
};

const utcText = (time: string) => `to_char(${time} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
const WARN = {
  name: 'budget-warn',
  text: `WITH passed AS (
      SELECT spend.id AS spend_id, spend.user_id, given."flowId" AS flow_id, json_build_object('scope', spend.scope,
        'id', spend.object_id, 'period', spend.period, 'start', ${utcText('spend.start')}, 'dollars', spend.dollars, 'tokens', spend.tokens,
        'dollars_limit', spend.limit_dollars, 'tokens_limit', spend.limit_tokens, 'run_id', given."runId",
        'flow_id', given."flowId", 'passed_at', ${utcText('now()')}) AS budget
      FROM jsonb_to_recordset($1::jsonb) AS given (id uuid, "runId" uuid, "flowId" uuid)
      JOIN budget_spend AS spend ON spend.id = given.id
    ) ${insertBudgetCallbacksSql('passed')}`,
};

/** Stores what calls of models spend of budgets. Statements wait only for those about the same user or key, and only briefly. */
export class BudgetStore {
  readonly #database: Database;

  constructor({ database }: { readonly database: Database }) {
    this.#database = database;
  }

  /** Returns the ids of users of which something has a budget, and of keys with one, at most `limit`. */
  async users(limit: number): Promise<readonly string[]> {
    const { rows } = await this.#database.query<{ id: string }>({ ...USERS, values: [limit] });
    return rows.map(({ id }) => id);
  }

  /**
   * Stores the worst cases of the calls that fit into the budgets of a user, with the budgets as they are now. Returns one outcome
   * for each call, in order.
   */
  async reserve(userId: string, calls: readonly CallToReserve[]): Promise<readonly ReservationOutcome[]> {
    return retryOnDeadlock(() =>
      this.#database.transaction(async (connection) => {
        const budgeted = await withBudgets(connection, userId, calls);
        const keys = [...new Map(budgeted.flatMap(spendOf)).values()];
        if (keys.length === 0) return calls.map(() => 'free' as const);
        const stored = await lockSpend(connection, keys);
        const refusals = decideReservations(budgeted, stored);
        const reserved = budgeted
          .filter(({ budgets }, index) => budgets.length > 0 && refusals[index] === null)
          .map((call) => ({
            ...call,
            dollars: call.dollars ?? 0,
            spend: spendOf(call).map(([name]) => stored.get(name)?.id),
          }));
        if (reserved.length > 0)
          await connection.query({
            ...RESERVE,
            values: [userId, JSON.stringify(reserved), JSON.stringify(limitsOf(budgeted, stored))],
          });
        return budgeted.map(
          ({ budgets }, index) => refusals[index] ?? (budgets.length > 0 ? 'reserved' : 'free'),
        );
      }),
    );
  }

  /**
   * Replaces the worst cases of calls of one user by what they cost. Can be repeated. The callbacks of the flow report a budget of
   * which a share is passed with that, once in its period.
   */
  async settle(calls: readonly EndedCall[]): Promise<void> {
    await retryOnDeadlock(() =>
      this.#database.transaction(async (connection) => {
        await connection.query({ ...LOCK_OF_ENDED, values: [calls.map(({ id }) => id)] });
        const { rows } = await connection.query<SettledSpend>({ ...SETTLE, values: [JSON.stringify(calls)] });
        const passed = rows.filter(({ passes }) => passes);
        if (passed.length > 0) await connection.query({ ...WARN, values: [JSON.stringify(passed)] });
      }),
    );
  }
}

interface SettledSpend {
  readonly id: string;
  readonly runId: string;
  readonly flowId: string;
  readonly passes: boolean;
}

type BudgetedCall = CallToReserve & { readonly budgets: readonly AppliedBudget[] };

/** What a key limits wherever it is used: also in a project of another user. */
const OF_KEYS: ReadonlySet<BudgetScope> = new Set(['key', 'end_user']);

/** Adds its budgets to each call; none for a user who does not exist any more. */
async function withBudgets(
  connection: Queryable,
  userId: string,
  calls: readonly CallToReserve[],
): Promise<readonly BudgetedCall[]> {
  const values = [
    userId,
    calls.map(({ flowId }) => flowId),
    calls.map(({ keyId }) => keyId),
    calls.map(({ sessionId }) => storableText(sessionId)),
  ];
  const { rows } = await connection.query<BudgetsOfCall>({ ...OF_CALLS, values });
  return calls.map((call, index) => {
    const row = rows[index];
    const keyUserId = row?.keyUserId ?? userId;
    const found: readonly [BudgetScope, string | null, Budget | null][] = [
      ['key', call.keyId, row?.key ?? null],
      ['user', userId, row?.user ?? null],
      ['project', row?.projectId ?? null, row?.project ?? null],
      ['flow', call.flowId, row?.flow ?? null],
      ['end_user', row?.endUserId ?? null, endUserBudget(row?.key ?? null)],
    ];
    const budgets = found.flatMap(([scope, objectId, budget]) =>
      objectId === null || budget === null
        ? []
        : [{ scope, objectId, budget, userId: OF_KEYS.has(scope) ? keyUserId : userId }],
    );
    return { ...call, budgets: appliedBudgets({ runId: call.runId, userId, budgets }) };
  });
}

/** Returns where a call is added up, by name. */
function spendOf({ budgets }: BudgetedCall): readonly (readonly [string, SpendKey])[] {
  return [...new Map(budgets.map(({ spend }) => [spendName(spend), spend] as const))];
}

/** Returns the least limits, and the least spend for a warning, of each row of spend. */
function limitsOf(
  calls: readonly BudgetedCall[],
  stored: ReadonlyMap<string, LockedSpend>,
): readonly object[] {
  const limits = new Map<
    string,
    { readonly [Name in 'tokens' | 'dollars' | 'warnTokens' | 'warnDollars']: number | null }
  >();
  for (const { spend, isForeign, tokens, dollars, warnAt } of calls.flatMap(({ budgets }) => budgets)) {
    const name = spendName(spend);
    const before = limits.get(name);
    const share = (limit: number | null) => (limit === null || warnAt === null ? null : limit * warnAt);
    // A warning about a run shows its limit.
    const shown = (limit: number | null) => (isForeign && spend.scope === 'run' ? null : limit);
    limits.set(name, {
      tokens: least(before?.tokens, shown(tokens)),
      dollars: least(before?.dollars, shown(dollars)),
      warnTokens: least(before?.warnTokens, share(tokens)),
      warnDollars: least(before?.warnDollars, share(dollars)),
    });
  }
  return [...limits].map(([name, limit]) => ({ id: stored.get(name)?.id, ...limit }));
}

function least(one: number | null = null, other: number | null = null): number | null {
  return one === null || other === null ? (one ?? other) : Math.min(one, other);
}

type LockedSpend = SpendKey & Amount & { readonly id: string };

/** Locks the rows of the periods of now, in one order for all processes, and creates those that are missing. */
async function lockSpend(
  connection: Queryable,
  keys: readonly SpendKey[],
): Promise<ReadonlyMap<string, LockedSpend>> {
  const values = [JSON.stringify(keys)];
  const found = await connection.query<LockedSpend>({ ...LOCK, values });
  if (found.rowCount === keys.length) return byName(found.rows);
  await connection.query({ ...CREATE, values });
  return byName((await connection.query<LockedSpend>({ ...LOCK, values })).rows);
}

function byName(rows: readonly LockedSpend[]): ReadonlyMap<string, LockedSpend> {
  return new Map(rows.map((row) => [spendName(row), row]));
}
