import { addUsage, UsageTotals } from './model-usage';

const call = { provider: 'P', model: 'm', tokens: { input: 10, output: 1 }, cost: 0.1 };

function usageOf(...calls: readonly Parameters<UsageTotals['add']>[0][]) {
  const totals = new UsageTotals();
  for (const added of calls) totals.add(added);
  return totals.sum();
}

test('calls are added up by model; a call without a price has no cost and is counted', () => {
  const unknown = { ...call, model: 'n', cost: null };
  const silent = { ...call, tokens: null, cost: null };
  expect(usageOf(call, { ...call, cost: 0.2 }, unknown, silent)).toEqual({
    calls: 4,
    inputTokens: 30,
    outputTokens: 3,
    cost: 0.3,
    unpricedCalls: 2,
    models: [
      { provider: 'P', model: 'm', calls: 3, inputTokens: 20, outputTokens: 2, cost: 0.3, unpricedCalls: 1 },
      { provider: 'P', model: 'n', calls: 1, inputTokens: 10, outputTokens: 1, cost: null, unpricedCalls: 1 },
    ],
  });
  expect(usageOf()).toBeNull();
});

test('of many models, the further ones are counted together', () => {
  const many = usageOf(...Array.from({ length: 50 }, (_, index) => ({ ...call, model: `m${index}` })));
  expect(many?.models).toHaveLength(21);
  expect(many?.models.at(-1)).toMatchObject({ provider: '', model: 'other', calls: 30 });
  expect(many?.calls).toBe(50);
});

test('the attempts of a run are added up', () => {
  const [one, other] = [usageOf(call), usageOf(call, { ...call, model: 'n', cost: null })];
  if (one === null || other === null) throw new Error('no usage');
  expect(addUsage(one, other)).toEqual(usageOf(call, call, { ...call, model: 'n', cost: null }));
});
