import type { VertexObserver } from '@millrace/engine';
import { flow, node, runFlow, edge } from '../testing/flow-under-test.fixture';

const both = ['true', 'false'] as const;

const choosing = (settings: Readonly<Record<string, unknown>>): unknown =>
  flow(
    [
      node('ChatInput-a', 'ChatInput'),
      node('ConditionalRouter-r', 'ConditionalRouter', settings),
      ...both.map((route) => node(`ChatOutput-${route}`, 'ChatOutput', { sender_name: route })),
    ],
    [
      edge('ChatInput-a', 'message', 'ConditionalRouter-r', 'input_text'),
      ...both.map((route) =>
        edge('ConditionalRouter-r', `${route}_result`, `ChatOutput-${route}`, 'input_value'),
      ),
    ],
  );

/** Returns the route that a text takes and the text that arrives there. */
async function routeOf(input: string, settings: Readonly<Record<string, unknown>>): Promise<unknown> {
  const { text, result } = await runFlow(choosing(settings), { input });
  return [result?.component_id.replace('ChatOutput-', ''), text];
}

test.each([
  ['equals', 'yes', 'yes', 'no'],
  ['not equals', 'yes', 'no', 'yes'],
  ['contains', 'b', 'abc', 'ac'],
  ['starts with', 'ab', 'abc', 'cab'],
  ['ends with', 'bc', 'abc', 'bca'],
  ['regex', '[a-z]+\\d', 'ab1 and more', '1ab1'],
  ['less than', '5', '4.5', '5'],
  ['less than or equal', '5', ' 5.0 ', '5.1'],
  ['greater than', '-1e3', '-9_99', 'inf-'],
  ['greater than or equal', '.5', 'Infinity', '0.49'],
])('%s %p is true for %p and false for %p', async (operator, match_text, fitting, other) => {
  expect(await routeOf(fitting, { operator, match_text })).toEqual(['true', fitting]);
  expect(await routeOf(other, { operator, match_text })).toEqual(['false', other]);
});

test.each([
  ['a text that is not a number is neither less nor greater', 'less than', '5', 'abc'],
  ['nothing is less or greater than a text that is not a number', 'greater than or equal', 'abc', '5'],
  ['an invalid pattern matches nothing', 'regex', '(', '('],
  ['an unknown operator is never true', 'resembles', 'a', 'a'],
])('%s', async (_title, operator, match_text, input) => {
  expect(await routeOf(input, { operator, match_text })).toEqual(['false', input]);
});

test('comparison is case-sensitive by default', async () => {
  expect(await routeOf('YES', { match_text: 'yes' })).toEqual(['false', 'YES']);
  expect(await routeOf('YES', { match_text: 'yes', case_sensitive: false })).toEqual(['true', 'YES']);
});

test('each route can have its own message, which older nodes store under other names', async () => {
  const own = { match_text: 'x', operator: 'contains', true_case_message: 'T', false_case_message: 'F' };
  expect(await routeOf('axb', own)).toEqual(['true', 'T']);
  expect(await routeOf('ab', own)).toEqual(['false', 'F']);
  expect(await routeOf('x', { match_text: 'x', message: 'passed on' })).toEqual(['true', 'passed on']);
  expect(await routeOf('x', { match_text: 'x', true_text: 'yes', false_text: 'no' })).toEqual([
    'true',
    'yes',
  ]);
});

test('the last iteration takes the default route, with an empty message', async () => {
  const settings = { match_text: 'yes', max_iterations: 1 };
  expect(await routeOf('no', { ...settings, default_route: 'true_result' })).toEqual(['true', '']);
  expect(await routeOf('yes', { ...settings, default_route: 'false_result' })).toEqual(['false', '']);
  expect(await routeOf('no', { ...settings, default_route: 'false_result' })).toEqual(['false', 'no']);
});

/** A flow that adds characters to its input until it ends with a text. */
const growing = (match_text: string): unknown =>
  flow(
    [
      node('ChatInput-a', 'ChatInput'),
      node('Prompt-p', 'Prompt', { template: '{text}x', text: '' }),
      node('ConditionalRouter-r', 'ConditionalRouter', { operator: 'ends with', match_text }),
      node('ChatOutput-z', 'ChatOutput'),
      node('TextOutput-end', 'TextOutput'),
    ],
    [
      edge('ChatInput-a', 'message', 'Prompt-p', 'text'),
      edge('Prompt-p', 'prompt', 'ConditionalRouter-r', 'input_text'),
      edge('ConditionalRouter-r', 'false_result', 'Prompt-p', 'text'),
      edge('ConditionalRouter-r', 'true_result', 'ChatOutput-z', 'input_value'),
    ],
  );

test('a cycle repeats until the text matches or max_iterations is reached', async () => {
  expect((await runFlow(growing('xxx'), { input: 'a' })).text).toBe('axxx');
  const rounds = { 'ConditionalRouter-r': { max_iterations: 4, default_route: 'true_result' } };
  expect(await runFlow(growing('never'), { input: 'a', tweaks: rounds })).toMatchObject({
    text: '',
    result: { component_id: 'ChatOutput-z' },
  });
});

test('followers see the branch that was not taken at each later vertex', async () => {
  const { seen, watch } = watching();
  await runFlow(choosing({ operator: 'equals', match_text: 'yes' }), { input: 'yes', watch });
  expect(seen).toEqual([
    ['ChatInput-a', []],
    ['ConditionalRouter-r', ['ChatOutput-false']],
    ['ChatOutput-true', ['ChatOutput-false']],
  ]);
});

test('followers see a branch that a later round of a cycle takes as stopped until then', async () => {
  const { seen, watch } = watching();
  await runFlow(growing('xx'), { input: 'a', watch });
  const rounds = seen.filter(([id]) => id !== 'TextOutput-end' && id !== 'ChatInput-a');
  expect(rounds).toEqual([
    ['Prompt-p', []],
    ['ConditionalRouter-r', ['ChatOutput-z']],
    ['Prompt-p', ['ChatOutput-z']],
    ['ConditionalRouter-r', []],
    ['ChatOutput-z', []],
  ]);
});

function watching() {
  const seen: (readonly [string, readonly string[]])[] = [];
  const watch: VertexObserver = {
    begins: () => undefined,
    ended: ({ id, inactivated_vertices }) => {
      seen.push([id, inactivated_vertices]);
      return Promise.resolve();
    },
  };
  return { seen, watch };
}
