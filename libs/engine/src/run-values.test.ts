import { RunError } from '@millrace/flow';
import type { RunRequest } from '@millrace/flow';
import { planOf } from './testing/test-flow';
import type { TestNode } from './testing/test-flow';
import { chatRequest, runPlan, texts } from './testing/test-run';

const nodes: readonly TestNode[] = [
  { type: 'ChatInput' },
  { type: 'Join', values: { second: 'saved' } },
  { type: 'ChatOutput' },
];
const edges = ['ChatInput-a.message > Join-a.first', 'Join-a.joined > ChatOutput-a.input_value'];

async function answer(
  changes: Partial<RunRequest>,
  variables: Readonly<Record<string, string>> = {},
  changed = nodes,
): Promise<unknown> {
  const { response } = await runPlan(planOf(changed, edges), chatRequest('x', changes), {
    variable: async (name) => variables[name],
  });
  return texts(response)['ChatOutput-a'];
}

test('a tweak sets a field by vertex id or by display name; a tweak without a match is ignored', async () => {
  expect(await answer({ tweaks: { 'Join-a': { second: 'by id' } } })).toBe('x|by id');
  expect(await answer({ tweaks: { Join: { second: 'by name' } } })).toBe('x|by name');
  expect(await answer({ tweaks: { 'Unknown-1': { second: 'no' }, 'Join-a': { nothing: 'no' } } })).toBe(
    'x|saved',
  );
  expect(await answer({ tweaks: { 'Join-a': { second: { value: 'wrapped' } } } })).toBe('x|wrapped');
});

test('a single value tweaks every vertex and takes precedence over a tweak of one vertex', async () => {
  expect(await answer({ tweaks: { second: 'all', 'Join-a': { second: 'one' } } })).toBe('x|all');
});

test('of two vertices with the same name the last one gets the tweak', async () => {
  const plan = planOf(
    [...nodes, { id: 'Join-b', type: 'Join', values: { second: 'b' } }],
    [
      'ChatInput-a.message > Join-a.first',
      'Join-a.joined > Join-b.first',
      'Join-b.joined > ChatOutput-a.input_value',
    ],
  );
  const { response } = await runPlan(plan, chatRequest('x', { tweaks: { Join: { second: 'T' } } }));
  expect(texts(response)).toEqual({ 'ChatOutput-a': 'x|saved|T' });
});

test('a backslash followed by n is a newline in saved texts and tweaks, but not in the input', async () => {
  expect(await answer({ tweaks: { 'Join-a': { second: 'a\\nb' } } })).toBe('x|a\nb');
  expect(await answer({ inputs: [{ components: [], inputValue: 'a\\nb', type: 'chat' }] })).toBe(
    'a\\nb|saved',
  );
});

test('code cannot be tweaked, a connected field keeps its edge, a hidden field its default', async () => {
  expect(await answer({ tweaks: { 'Join-a': { code: 'import os', first: 'tweak' } } })).toBe('x|saved');
  const hidden = nodes.map((node) =>
    node.type === 'Join' ? { ...node, fields: { second: { show: false, value: 'hidden' } } } : node,
  );
  expect(await answer({ tweaks: { 'Join-a': { second: 'tweak' } } }, {}, hidden)).toBe('x|');
});

test('names such as __proto__ and constructor are ordinary names', async () => {
  const tweaks = JSON.parse(
    '{"__proto__": {"second": "p"}, "Join-a": {"__proto__": "x", "constructor": "y"}}',
  );
  expect(await answer({ tweaks })).toBe('x|saved');
  expect(({} as Record<string, unknown>)['second']).toBeUndefined();
});

test('the session of the run takes precedence over a saved or tweaked one', async () => {
  const { stored } = await runPlan(
    planOf(nodes, edges),
    chatRequest('x', { sessionId: 'real', tweaks: { 'ChatOutput-a': { session_id: 'fake' } } }),
  );
  expect(stored.map(({ fields }) => fields.sessionId)).toEqual(['real', 'real']);
});

test('a variable field uses the variable of the request, else of the user, else of the process', async () => {
  const loading: readonly TestNode[] = [
    nodes[0]!,
    { type: 'Join', fields: { second: { value: 'GREETING', load_from_db: true } } },
    nodes[2]!,
  ];
  expect(await answer({}, { GREETING: 'stored' }, loading)).toBe('x|stored');
  expect(await answer({ globalVariables: { GREETING: 'header' } }, { GREETING: 'stored' }, loading)).toBe(
    'x|header',
  );
  expect(await answer({}, {}, loading)).toBe('x|');
  expect(await answer({ tweaks: { 'Join-a': { second: 'literal' } } }, { literal: 'no' }, loading)).toBe(
    'x|literal',
  );
  const asked = { value: 'GREETING', load_from_db: true };
  expect(await answer({ tweaks: { 'Join-a': { second: asked } } }, { GREETING: 'asked' })).toBe('x|asked');
});

test('a variable of the process is used when neither the request nor the user has it', async () => {
  const plan = planOf([{ type: 'Join', fields: { first: { value: 'HOME_TOWN', load_from_db: true } } }], []);
  const { response } = await runPlan(plan, chatRequest('', { outputs: { by: 'type', type: 'debug' } }), {
    environmentVariable: (name) => (name === 'HOME_TOWN' ? 'Brno' : undefined),
  });
  expect(texts(response)).toEqual({ 'Join-a': 'Brno|' });
});

test('a missing variable fails a run, where it is asked to, for a field and not for a component that has another value', async () => {
  const all: Partial<RunRequest> = { outputs: { by: 'type', type: 'debug' } };
  const onMissingVariable = (name: string) => {
    throw new RunError('component_failed', `${name} is missing`);
  };
  const field = planOf([{ type: 'Join', fields: { first: { value: 'NAME', load_from_db: true } } }], []);
  await expect(runPlan(field, chatRequest('', all), { onMissingVariable })).rejects.toThrow(
    'NAME is missing',
  );
  const process = { onMissingVariable, environmentVariable: () => 'Ann' };
  expect(texts((await runPlan(field, chatRequest('', all), process)).response)).toEqual({ 'Join-a': 'Ann|' });
  const component = planOf([{ type: 'Slow', values: { input_value: 'default', looks_up: 'NAME' } }], []);
  const { response } = await runPlan(component, chatRequest('', all), { onMissingVariable });
  expect(texts(response)).toEqual({ 'Slow-a': 'default' });
});

test('a saved value that cannot be converted fails the run only when it is used', async () => {
  const broken = nodes.map((node) =>
    node.type === 'Join' ? { ...node, fields: { second: { type: 'int', value: 5 } } } : node,
  );
  await expect(answer({}, {}, broken)).rejects.toMatchObject({ code: 'component_failed' });
  expect(await answer({ tweaks: { 'Join-a': { second: 'good' } } }, {}, broken)).toBe('x|good');
});

test('an input is set on the vertices of its type and name', async () => {
  const to = (components: readonly string[], type: 'chat' | 'text' | 'any'): Partial<RunRequest> => ({
    inputs: [{ components, inputValue: 'in', type }],
  });
  expect(await answer(to([], 'any'))).toBe('in|saved');
  expect(await answer(to([], 'text'))).toBe('|saved');
  expect(await answer(to(['Chat Input'], 'any'))).toBe('in|saved');
  expect(await answer(to(['ChatInput'], 'any'))).toBe('|saved');
});

test('a component can read fields that it does not declare', async () => {
  const plan = planOf(
    [{ type: 'ChatInput' }, { type: 'Join', values: { extra: 'more' } }, { type: 'ChatOutput' }],
    edges,
  );
  const { response } = await runPlan(plan, chatRequest('x'));
  expect(texts(response)).toEqual({ 'ChatOutput-a': 'x||more' });
});
