import type { ObservedRun, RunObserver } from './run-observer';
import { planOf } from '../testing/test-flow';
import { chatRequest, runPlan } from '../testing/test-run';

const nothing = { within: <Value>(work: () => Value) => work(), succeeded: () => {}, failed: () => {} };
const step = { ...nothing, modelCall: () => nothing, toolCall: () => nothing, retrieval: () => nothing };

/** Runs a flow with one vertex that has these fields; resolves to its run, as observers see it. */
async function observedRun(
  fields: object,
  changes: Partial<ReturnType<typeof chatRequest>> = {},
): Promise<{ readonly run: ObservedRun; isSecret(name: string): boolean }> {
  const seen: Parameters<RunObserver['vertex']>[0][] = [];
  const observer: RunObserver = {
    vertex: (execution) => {
      seen.push(execution);
      return step;
    },
  };
  const plan = planOf(
    [{ type: 'Failing', fields: { input_value: { value: 'x' }, ...fields } }, { type: 'TextOutput' }],
    ['Failing-a.text > TextOutput-a.input_value'],
  );
  const request = chatRequest('x', { outputs: { by: 'type', type: 'any' }, ...changes });
  const variable = async (name: string) => (name === 'STORED' ? 'stored-value' : undefined);
  await runPlan(plan, request, { observer, variable }).catch(() => undefined);
  const [first] = seen;
  if (first === undefined) throw new Error('nothing was observed');
  return { run: first.run, isSecret: (name) => first.run.isSecret(first.vertex, name) };
}

test('the values of secret fields, of variables and of the variables of the request are secret', async () => {
  const { run, isSecret } = await observedRun(
    { api_key: { value: 'saved-key' }, other: { value: 'STORED', load_from_db: true } },
    { globalVariables: { UNUSED: 'from-a-header' } },
  );
  expect([...run.secrets()].sort()).toEqual(['from-a-header', 'saved-key', 'stored-value']);
  expect(['api_key', 'other', 'input_value'].map(isSecret)).toEqual([true, true, false]);
});

test('a tweak of a secret field is secret, too', async () => {
  const { run } = await observedRun(
    { api_key: { value: 'saved-key' } },
    { tweaks: { 'Failing-a': { api_key: 'tweaked-key' } } },
  );
  expect([...run.secrets()].sort()).toEqual(['saved-key', 'tweaked-key']);
});

test('headers, and addresses with a password, are secret wherever they are', async () => {
  const { run, isSecret } = await observedRun({
    headers: { type: 'table', value: [{ key: 'Authorization', value: 'Bearer header-key' }] },
    server: { type: 'NestedDict', value: { name: 'files', env: { TOKEN: 'of-the-environment' } } },
    place: { value: 'https://user:p%40ss@host.test/' },
    plain: { value: 'https://host.test/@members' },
  });
  expect([...run.secrets()].sort()).toEqual([
    'Bearer header-key',
    'header-key',
    'https://user:p%40ss@host.test/',
    'of-the-environment',
    'p%40ss',
    'p@ss',
  ]);
  expect(isSecret('headers')).toBe(true);
});

test('what a component hides is secret', async () => {
  const { run } = await observedRun({ hides: { value: 'found-on-the-way' } });
  expect([...run.secrets()]).toEqual(['found-on-the-way']);
});

test('a part passes its secrets on to the run that contains it, from its start', async () => {
  const foundSecrets = new Set<string>();
  const fields = { api_key: { value: 'saved-key' }, hides: { value: 'found-on-the-way' } };
  const plan = planOf([{ type: 'Failing', fields }], []);
  const environment = { foundSecrets, part: 'a part', variable: async () => 'stored-value' };
  await runPlan(plan, chatRequest('x'), environment).catch(() => undefined);
  expect([...foundSecrets].sort()).toEqual(['found-on-the-way', 'saved-key']);
});
