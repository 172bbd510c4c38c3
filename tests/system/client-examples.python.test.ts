import { forAllTests } from '@millrace/testing';
import { chatAnswer, pageExamples, runExample } from './page-examples';
import { startExamples } from './running-examples';

/** The environment of the tests does not have its package, as the page says. */
const NOT_EXECUTED = 'openai in Python';

const answer = chatAnswer('Say hello to Ann');
const printed: Record<string, unknown> = {
  'Run a flow with requests': `${answer}\n`,
  'Stream a run with requests': answer,
  'Send a webhook with requests': expect.stringMatching(/^202 [\da-f-]{36}\n$/),
  "Run a flow with Langflow's SDK": `${answer}\n`,
};

const examples = pageExamples().filter(({ language }) => language === 'python');

const system = forAllTests(startExamples);

test('each example in Python but one is executed', () => {
  expect(examples.map(({ title }) => title)).toEqual([...Object.keys(printed), NOT_EXECUTED]);
});

test.each(examples.filter(({ title }) => title !== NOT_EXECUTED))('$title', async (example) => {
  expect(await runExample(example, system)).toEqual(printed[example.title]);
});

test('a session is kept', async () => {
  const messages = await system.read('/api/v1/monitor/messages?session_id=ann-6');
  expect(messages).toHaveLength(2);
});
