import { RunSuspension } from '@millrace/flow';
import type { HumanDecision, Plan, RunRequest, RunResponse } from '@millrace/flow';
import { execute } from './execute';
import type { KeptResult, RunCheckpoint } from './run/run-environment';
import { planOf } from './testing/test-flow';
import { chatRequest, runPlan, testEnvironment, texts } from './testing/test-run';

const any = { outputs: { by: 'type', type: 'any' } } as const;
const runId = testEnvironment().runId;

/** What a run keeps, and the decisions that its test gives. */
class TestCheckpoint implements RunCheckpoint {
  readonly part = '';
  readonly #results = new Map<string, KeptResult>();
  readonly #decisions = new Map<string, HumanDecision>();

  resultAt = (place: string) => this.#results.get(place);
  decisionOn = (requestId: string) => this.#decisions.get(requestId);

  keep(results: ReadonlyMap<string, KeptResult>): void {
    for (const [place, result] of results) this.#results.set(place, result);
  }

  answer(requestId: string, action_id: string): void {
    this.#decisions.set(requestId, { action_id, values: {} });
  }
}

interface Asked {
  readonly prompts: Readonly<Record<string, string>>;
  readonly executed: readonly string[];
}

/** Executes one attempt: resolves to what it asks, or to its response. */
async function attempt(
  plan: Plan,
  request: RunRequest,
  checkpoint: TestCheckpoint,
): Promise<Asked & { readonly response: RunResponse | null; readonly stored: number }> {
  const environment = testEnvironment({ checkpoint });
  const executed = () =>
    environment.reports.filter(({ state }) => state === 'succeeded').map(({ vertexId }) => vertexId);
  try {
    const response = await execute(plan, request, environment);
    return { prompts: {}, executed: executed(), response, stored: environment.stored.length };
  } catch (error) {
    if (!(error instanceof RunSuspension)) throw error;
    const prompts = Object.fromEntries(error.requests.map(({ request_id, prompt }) => [request_id, prompt]));
    return { prompts, executed: executed(), response: null, stored: environment.stored.length };
  }
}

const choice = planOf(
  [
    { type: 'ChatInput' },
    { type: 'Ask' },
    { type: 'Slow' },
    { id: 'TextOutput-yes', type: 'TextOutput' },
    { id: 'TextOutput-no', type: 'TextOutput' },
    { id: 'TextOutput-beside', type: 'TextOutput' },
  ],
  [
    'ChatInput-a.message > Ask-a.prompt',
    'ChatInput-a.message > Slow-a.input_value',
    'Slow-a.text > TextOutput-beside.input_value',
    'Ask-a.yes > TextOutput-yes.input_value',
    'Ask-a.no > TextOutput-no.input_value',
  ],
);

test('a run is suspended when nothing else of it can run, and goes on with the branch that a person chose', async () => {
  const checkpoint = new TestCheckpoint();
  const first = await attempt(choice, chatRequest('ship it?', any), checkpoint);
  expect(first.prompts).toEqual({ [`Ask-a:${runId}`]: 'ship it?' });
  expect(first.executed).toEqual(['ChatInput-a', 'Slow-a', 'TextOutput-beside']);
  checkpoint.answer(`Ask-a:${runId}`, 'no');
  const second = await attempt(choice, chatRequest('ship it?', any), checkpoint);
  expect(texts(second.response!)).toEqual({ 'TextOutput-beside': 'ship it?', 'TextOutput-no': 'ship it?' });
  expect([first.stored, second.stored]).toEqual([1, 0]);
});

test('without an answer a further attempt asks the same and executes nothing again', async () => {
  const checkpoint = new TestCheckpoint();
  const first = await attempt(choice, chatRequest('x', any), checkpoint);
  const second = await attempt(choice, chatRequest('x', any), checkpoint);
  expect(second.prompts).toEqual(first.prompts);
  expect(second.stored).toBe(0);
});

test('a run that cannot wait fails, and a vertex without a follower asks nothing', async () => {
  await expect(runPlan(choice, chatRequest('x', any))).rejects.toThrow('POST /api/v2/workflows');
  const alone = planOf([{ type: 'Ask', values: { prompt: 'p' } }], []);
  const { prompts, response } = await attempt(
    alone,
    chatRequest('x', { outputs: { by: 'type', type: 'debug' } }),
    new TestCheckpoint(),
  );
  expect([prompts, response?.outputs[0]?.outputs.length]).toEqual([{}, 1]);
});

test('parallel branches ask at once; each answer carries its own branch on', async () => {
  const plan = planOf(
    [
      { id: 'Ask-one', type: 'Ask', values: { prompt: 'one' } },
      { id: 'Ask-two', type: 'Ask', values: { prompt: 'two' } },
      { id: 'TextOutput-one', type: 'TextOutput' },
      { id: 'TextOutput-two', type: 'TextOutput' },
    ],
    ['Ask-one.yes > TextOutput-one.input_value', 'Ask-two.yes > TextOutput-two.input_value'],
  );
  const checkpoint = new TestCheckpoint();
  const request = chatRequest('', any);
  const both = await attempt(plan, request, checkpoint);
  expect(Object.values(both.prompts)).toEqual(['one', 'two']);
  checkpoint.answer(`Ask-two:${runId}`, 'yes');
  const rest = await attempt(plan, request, checkpoint);
  expect([Object.values(rest.prompts), rest.executed]).toEqual([['one'], ['Ask-two', 'TextOutput-two']]);
  checkpoint.answer(`Ask-one:${runId}`, 'yes');
  const { response, executed } = await attempt(plan, request, checkpoint);
  expect(texts(response!)).toEqual({ 'TextOutput-one': 'one', 'TextOutput-two': 'two' });
  expect(executed).toContain('Ask-one');
});

test('each round of a loop asks; the rounds before are not executed again', async () => {
  const plan = planOf(
    [
      { type: 'ChatInput' },
      { type: 'Loop' },
      { type: 'Join' },
      { type: 'Ask' },
      { type: 'Table' },
      { type: 'TextOutput' },
    ],
    [
      'ChatInput-a.message > Loop-a.words',
      'Loop-a.item > Join-a.first',
      'Join-a.joined > Ask-a.prompt',
      'Ask-a.yes > Loop-a.item',
      'Loop-a.done > Table-a.table',
      'Table-a.text > TextOutput-a.input_value',
    ],
  );
  const checkpoint = new TestCheckpoint();
  const request = chatRequest('b a', any);
  const asked: string[] = [];
  let last = await attempt(plan, request, checkpoint);
  for (; last.response === null && asked.length < 5; last = await attempt(plan, request, checkpoint)) {
    const [[id = '', prompt = ''] = []] = Object.entries(last.prompts);
    asked.push(prompt);
    checkpoint.answer(id, 'yes');
  }
  expect(asked).toEqual(['b|', 'a|']);
  expect(texts(last.response!)).toEqual({ 'TextOutput-a': 'b| / a|' });
});

test('a vertex that reads the session waits with the one that is suspended, and the run is suspended', async () => {
  const plan = planOf(
    [
      { id: 'Ask-a', type: 'Ask', values: { prompt: 'p' } },
      { id: 'ChatOutput-a', type: 'ChatOutput' },
      { id: 'Join-1', type: 'Join', values: { first: '1' } },
      { id: 'Join-2', type: 'Join' },
      { id: 'Join-3', type: 'Join' },
      { id: 'History-a', type: 'History' },
      { id: 'TextOutput-a', type: 'TextOutput' },
    ],
    [
      'Ask-a.yes > ChatOutput-a.input_value',
      'Join-1.joined > Join-2.first',
      'Join-2.joined > Join-3.first',
      'Join-3.joined > History-a.after',
      'History-a.text > TextOutput-a.input_value',
    ],
  );
  const checkpoint = new TestCheckpoint();
  const first = await attempt(plan, chatRequest('', any), checkpoint);
  expect(first.executed).toEqual(expect.arrayContaining(['Join-3']));
  expect(first.executed).not.toContain('History-a');
  checkpoint.answer(`Ask-a:${runId}`, 'yes');
  const second = await attempt(plan, chatRequest('', any), checkpoint);
  expect(texts(second.response!)['TextOutput-a']).toContain('p');
});

test('a vertex that reads the session does not wait for a round of a cycle that waits for a person', async () => {
  const plan = planOf(
    [
      { type: 'Join', values: { second: 'x' } },
      {
        type: 'Until',
        fields: { characters: { type: 'int', value: 90 }, rounds: { type: 'int', value: 3 } },
      },
      { type: 'TextOutput' },
      { type: 'Ask' },
      { type: 'ChatOutput' },
      { type: 'Slow', values: { input_value: 's' } },
      ...[1, 2, 3, 4].map((place) => ({ id: `Join-${place}`, type: 'Join' })),
      { type: 'History' },
      { id: 'TextOutput-h', type: 'TextOutput' },
    ],
    [
      'Join-a.joined > Until-a.input_text',
      'Until-a.again > Join-a.first',
      'Until-a.enough > TextOutput-a.input_value',
      'Join-a.joined > Ask-a.prompt',
      'Ask-a.yes > ChatOutput-a.input_value',
      'Slow-a.text > Join-1.first',
      ...[1, 2, 3].map((place) => `Join-${place}.joined > Join-${place + 1}.first`),
      'Join-4.joined > History-a.after',
      'History-a.text > TextOutput-h.input_value',
    ],
  );
  const first = await attempt(plan, chatRequest('', any), new TestCheckpoint());
  expect(Object.keys(first.prompts)).toHaveLength(1);
});

test('a streamed text is complete before the run is suspended, and is not streamed again', async () => {
  const plan = planOf(
    [
      { type: 'ChatInput' },
      { type: 'Model', fields: { stream: { type: 'bool', value: true } } },
      { type: 'ChatOutput' },
      { type: 'Ask' },
      { type: 'TextOutput' },
    ],
    [
      'ChatInput-a.message > Model-a.input_value',
      'Model-a.text_output > ChatOutput-a.input_value',
      'ChatOutput-a.message > Ask-a.prompt',
      'Ask-a.yes > TextOutput-a.input_value',
    ],
  );
  const checkpoint = new TestCheckpoint();
  const first = await attempt(plan, chatRequest('a b', { ...any, stream: true }), checkpoint);
  expect([Object.values(first.prompts), first.stored]).toEqual([['a b'], 2]);
  checkpoint.answer(`Ask-a:${runId}`, 'yes');
  const second = await attempt(plan, chatRequest('a b', any), checkpoint);
  expect(second.stored).toBe(0);
  expect(texts(second.response!)['TextOutput-a']).toBe('a b');
});
