import { createMetrics } from '@millrace/service';
import { recordingLogger } from '@millrace/service/testing';
import { Budgets } from './budgets';

test('calls that a budget of a key refuses, whatever the user of the run, and those whose cost could not be stored, are counted', async () => {
  const metrics = createMetrics();
  const logger = recordingLogger();
  const error = new Error('away');
  const refusal = { scope: 'flow', period: 'day', unit: 'tokens', limit: 10, counted: 9, wanted: 2 } as const;
  const outcomes = ['reserved', refusal] as const;
  let asked = 0;
  const budgets = new Budgets({
    store: { reserve: async () => [outcomes[asked++] ?? 'free'], settle: () => Promise.reject(error) },
    users: { has: (id) => id === 'key' },
    prices: { cost: () => null, maximumOutput: () => 1 },
    metrics,
    logger,
  });
  const spender = { runId: 'run', userId: 'user', flowId: 'flow', keyId: 'key', request: { sessionId: 's' } };
  const call = () => ({ provider: 'p', model: 'm', inputTokens: 1, outputTokens: 1, answers: 1 });
  expect(budgets.reserve({ ...spender, keyId: null }, call)).toBeNull();
  const reservation = await budgets.reserve(spender, call);
  await expect(budgets.reserve(spender, call)).rejects.toMatchObject({ code: 'budget_exceeded' });
  const settled = reservation?.settle(null);
  await budgets.close();
  await settled;
  const lost = logger.fieldsOf('could not store what calls of models cost; their worst cases count');
  expect(lost).toEqual([{ error, calls: 1 }]);
  const text = await metrics.prometheusText();
  expect(text).toContain('millrace_budget_refused_calls_total{scope="flow"} 1');
  expect(text).toContain('millrace_budget_lost_settlements_total 1');
});
