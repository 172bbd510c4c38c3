import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { RunError } from '@millrace/flow';
import type { PricedCall, SpendReservation } from '@millrace/flow';
import type { BudgetRefusal, BudgetStore } from '@millrace/runs';
import type { Counter, Logger, Metrics } from '@millrace/service';
import type { ModelPrices } from '../vertex-records/model-prices';
import { UserQueues } from './user-queues';

/** How long a call waits for its settlement, which is then stored later. */
const SETTLE_MILLISECONDS = 2_000;
const SCOPES = ['key', 'user', 'project', 'flow', 'end_user'];

export interface BudgetsOptions {
  readonly store: Pick<BudgetStore, 'reserve' | 'settle'>;
  /** The users of which something can have a budget, and the keys that can have one. */
  readonly users: { has(id: string): boolean };
  readonly prices: Pick<ModelPrices, 'cost' | 'maximumOutput'>;
  readonly metrics: Metrics;
  readonly logger: Pick<Logger, 'error'>;
}

/** Whose call it is. */
interface Spender {
  readonly runId: string;
  readonly userId: string;
  readonly flowId: string;
  readonly keyId: string | null;
  readonly request: { readonly sessionId: string };
}

/** Holds the calls of models of all attempts of a process within the budgets of keys, users, projects and flows. */
export class Budgets {
  readonly #options: BudgetsOptions;
  readonly #queues: UserQueues;
  readonly #refused: Counter;

  constructor(options: BudgetsOptions) {
    this.#options = options;
    const { metrics, logger } = options;
    this.#refused = metrics.counter(
      'millrace_budget_refused_calls_total',
      'Calls of models that were not made because of a budget, by what the budget is of',
      { labels: { scope: SCOPES } },
    );
    const lost = metrics.counter(
      'millrace_budget_lost_settlements_total',
      'Calls of models whose worst case counts because their cost could not be stored',
    );
    this.#queues = new UserQueues({
      store: options.store,
      onLost(error, calls) {
        lost.add(calls);
        logger.error({ error, calls }, 'could not store what calls of models cost; their worst cases count');
      },
    });
  }

  /** As ModelSpending.reserve. */
  reserve(spender: Spender, call: () => PricedCall): Promise<SpendReservation | null> | null {
    const { users } = this.#options;
    // The key of a member belongs to another user than the run.
    return users.has(spender.userId) || users.has(spender.keyId ?? '')
      ? this.#reserve(spender, call())
      : null;
  }

  /** Stores what is not stored yet. */
  close(): Promise<void> {
    return this.#queues.close();
  }

  async #reserve(spender: Spender, call: PricedCall): Promise<SpendReservation | null> {
    const { prices } = this.#options;
    const { runId, userId, flowId, keyId, request } = spender;
    const { provider, model, inputTokens: input } = call;
    const output = (call.outputTokens ?? prices.maximumOutput(provider, model)) * call.answers;
    const dollars = prices.cost(provider, model, { input, output });
    const id = randomUUID();
    const of = { id, runId, flowId, keyId, sessionId: request.sessionId };
    const outcome = await this.#queues.reserve(userId, { ...of, tokens: input + output, dollars });
    if (outcome === 'free') return null;
    if (outcome !== 'reserved') {
      this.#refused.add(1, { scope: outcome.scope });
      throw budgetExceeded(outcome, call);
    }
    let isSettled = false;
    return {
      settle: async (usage) => {
        if (isSettled) return;
        isSettled = true;
        const tokens = tokensOf(usage);
        const settled = this.#queues.settle(userId, {
          id,
          tokens: tokens === null ? null : tokens.input + tokens.output,
          dollars: tokens === null ? null : prices.cost(provider, model, tokens),
        });
        const late = new AbortController();
        await Promise.race([
          settled,
          sleep(SETTLE_MILLISECONDS, undefined, { ref: false, signal: late.signal }).catch(() => undefined),
        ]);
        late.abort();
      },
    };
  }
}

function tokensOf(
  usage: Parameters<SpendReservation['settle']>[0],
): { readonly input: number; readonly output: number } | null {
  const { input_tokens: input = null, output_tokens: output = null } = usage ?? {};
  return input === null || output === null ? null : { input, output };
}

const NAMES: Readonly<Record<BudgetRefusal['scope'], string>> = {
  key: 'API key',
  user: 'user',
  project: 'project',
  flow: 'flow',
  end_user: 'end user',
};

/** Ends the run, also where an agent would tell a model of an error. */
function budgetExceeded(refusal: BudgetRefusal, { model }: PricedCall): RunError {
  const { scope, period, unit, limit, counted, wanted, isForeign } = refusal;
  const amount = isForeign ? `in ${unit}` : `${limit} ${unit}`;
  const budget = `the budget of this ${NAMES[scope]}, ${amount} a ${period}`;
  const left = isForeign
    ? 'too little left'
    : `${shown(limit - counted)} left, and the call can take ${shown(wanted ?? 0)}`;
  const text =
    wanted === null
      ? `The call of the model "${model}" was not made: ${budget}, needs its list price, which is not known.`
      : `The call of the model "${model}" was not made: ${budget}, has ${left}.`;
  return new RunError('budget_exceeded', text);
}

function shown(amount: number): string {
  return String(Math.round(Math.max(0, amount) * 1e6) / 1e6);
}
