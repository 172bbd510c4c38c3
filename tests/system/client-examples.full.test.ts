import type { RunResponse } from '@millrace/flow';
import { forAllTests } from '@millrace/testing';
import { chatAnswer, pageExamples, runExample } from './page-examples';
import { startExamples } from './running-examples';

const QUESTION = 'Say hello to Ann';
const ANSWER = chatAnswer(QUESTION);

const executed: string[] = [];

const system = forAllTests(startExamples);

/** Runs the example of docs/use/clients.md with this title; resolves to what it prints. */
function run(title: string, environment: Record<string, string> = {}, key = system.key): Promise<string> {
  const example = pageExamples().find((found) => found.title === title);
  if (example === undefined) throw new Error(`docs/use/clients.md has no example "${title}"`);
  executed.push(title);
  return runExample(example, { url: system.url, key, environment });
}

const textOf = (printed: string) => {
  const { outputs } = JSON.parse(printed) as RunResponse;
  return (outputs[0]?.outputs[0]?.results as { message: { text: string } }).message.text;
};

async function messagesOf(session: string): Promise<string[]> {
  const messages = await system.read(`/api/v1/monitor/messages?session_id=${session}`);
  return (messages as { text: string }[]).map(({ text }) => text);
}

test('curl runs a flow', async () => {
  expect(textOf(await run('Run a flow'))).toBe(ANSWER);
});

test('curl streams a run', async () => {
  const lines = (await run('Stream a run')).split('\n').filter((line) => line !== '');
  const events = lines.map((line) => JSON.parse(line) as { event: string; data: { chunk: string } });
  expect([events[0]?.event, events.at(-1)?.event]).toEqual(['add_message', 'end']);
  const tokens = events.filter(({ event }) => event === 'token');
  expect(tokens.map(({ data }) => data.chunk).join('')).toBe(ANSWER);
});

test('curl sends a webhook, whose repetition is the same run, and reads the run', async () => {
  const answers = [await run('Send a webhook'), await run('Send a webhook')].map(
    (printed) => (JSON.parse(printed) as { run_id: string }).run_id,
  );
  expect(answers[0]).toBe(answers[1]);
  const record: unknown = JSON.parse(await run('Read a run', { RUN_ID: answers[0] ?? '' }));
  expect(record).toMatchObject({ status: expect.stringMatching(/^(accepted|queued|running|succeeded)$/) });
});

test('curl continues a session and lists its messages', async () => {
  const printed = await run('Continue a session');
  expect(printed).toContain('"session_id":"ann-1"');
  expect(await messagesOf('ann-1')).toEqual([QUESTION, ANSWER]);
});

test.each([
  ['Run a flow with fetch', 'ann-2'],
  ["Run a flow with Langflow's client", 'ann-3'],
  ['Chat completions', 'ann-4'],
])('%s prints the text and stores the messages of its session', async (title, session) => {
  expect(await run(title)).toBe(`${ANSWER}\n`);
  expect(await messagesOf(session)).toEqual([QUESTION, ANSWER]);
});

test.each([
  'Stream a run with fetch',
  "Stream a run with Langflow's client",
  'Responses, streamed',
  'Chat completions, streamed',
])('%s prints each token once', async (title) => {
  expect(await run(title)).toBe(ANSWER);
});

test('Responses continues the session of the first answer', async () => {
  expect(await run('Responses')).toBe(`${ANSWER}\n${chatAnswer('And to Ben')}\n`);
});

test('fetch and curl report errors as the page says', async () => {
  const wrong = (title: string) => run(title, {}, 'sk-wrong');
  await expect(wrong('Run a flow')).rejects.toMatchObject({ code: 22 });
  await expect(wrong('Run a flow with fetch')).rejects.toMatchObject({
    stderr: expect.stringMatching(/Error: 403 \w+: /),
  });
  await expect(wrong('Stream a run with fetch')).rejects.toMatchObject({
    stderr: expect.stringContaining('Error: 403 '),
  });
});

test('each example without Python and TypeScript was executed', () => {
  // The test of the package compiles that in TypeScript.
  const expected = pageExamples().filter(({ language }) => language !== 'python' && language !== 'ts');
  expect([...new Set(executed)].toSorted()).toEqual(expected.map(({ title }) => title).toSorted());
});
