import { flow, node, runFlow, wire } from '../flow-under-test.fixture';

const both = ['true', 'false'] as const;

const choosing = (settings: Readonly<Record<string, unknown>>): unknown =>
  flow(
    [
      node('ChatInput-a', 'ChatInput'),
      node('ConditionalRouter-r', 'ConditionalRouter', settings),
      ...both.map((way) => node(`ChatOutput-${way}`, 'ChatOutput', { sender_name: way })),
    ],
    [
      wire('ChatInput-a', 'message', 'ConditionalRouter-r', 'input_text'),
      ...both.map((way) => wire('ConditionalRouter-r', `${way}_result`, `ChatOutput-${way}`, 'input_value')),
    ],
  );

/** Which way a text goes, and what arrives there. */
async function way(input: string, settings: Readonly<Record<string, unknown>>): Promise<unknown> {
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
  expect(await way(fitting, { operator, match_text })).toEqual(['true', fitting]);
  expect(await way(other, { operator, match_text })).toEqual(['false', other]);
});

test.each([
  ['a text that is no number is neither less nor greater', 'less than', '5', 'abc'],
  ['neither is it compared with one', 'greater than or equal', 'abc', '5'],
  ['a broken pattern fits nothing', 'regex', '(', '('],
  ['an operator that does not exist holds for nothing', 'resembles', 'a', 'a'],
])('%s', async (_title, operator, match_text, input) => {
  expect(await way(input, { operator, match_text })).toEqual(['false', input]);
});

test('upper and lower case differ unless the node says otherwise', async () => {
  expect(await way('YES', { match_text: 'yes' })).toEqual(['false', 'YES']);
  expect(await way('YES', { match_text: 'yes', case_sensitive: false })).toEqual(['true', 'YES']);
});

test('each way may have a message of its own, which older nodes keep under other names', async () => {
  const own = { match_text: 'x', operator: 'contains', true_case_message: 'T', false_case_message: 'F' };
  expect(await way('axb', own)).toEqual(['true', 'T']);
  expect(await way('ab', own)).toEqual(['false', 'F']);
  expect(await way('x', { match_text: 'x', message: 'passed on' })).toEqual(['true', 'passed on']);
  expect(await way('x', { match_text: 'x', true_text: 'yes', false_text: 'no' })).toEqual(['true', 'yes']);
});

test('the last round goes the default way, with nothing in hand', async () => {
  const settings = { match_text: 'yes', max_iterations: 1 };
  expect(await way('no', { ...settings, default_route: 'true_result' })).toEqual(['true', '']);
  expect(await way('yes', { ...settings, default_route: 'false_result' })).toEqual(['false', '']);
  expect(await way('no', { ...settings, default_route: 'false_result' })).toEqual(['false', 'no']);
});

test('a wire that leads back goes round until the text fits or the rounds are used up', async () => {
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
        wire('ChatInput-a', 'message', 'Prompt-p', 'text'),
        wire('Prompt-p', 'prompt', 'ConditionalRouter-r', 'input_text'),
        wire('ConditionalRouter-r', 'false_result', 'Prompt-p', 'text'),
        wire('ConditionalRouter-r', 'true_result', 'ChatOutput-z', 'input_value'),
      ],
    );
  expect((await runFlow(growing('xxx'), { input: 'a' })).text).toBe('axxx');
  const rounds = { 'ConditionalRouter-r': { max_iterations: 4, default_route: 'true_result' } };
  expect(await runFlow(growing('never'), { input: 'a', tweaks: rounds })).toMatchObject({
    text: '',
    result: { component_id: 'ChatOutput-z' },
  });
});
