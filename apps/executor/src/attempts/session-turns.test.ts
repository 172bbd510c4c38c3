import type { FlowRecord } from '@millrace/runs';
import { uuidv7 } from '@millrace/service';
import { until } from '@millrace/service/testing';
import { flowData, node } from '@millrace/testing';
import { installForAllTests } from '../testing/install-for-tests';

const given = installForAllTests();

/** A flow with a message history and a chat input, which feed a prompt, which feeds a model. */
function flowWith(nMessages: number, historyFirst: boolean): unknown {
  const ends = [
    node('ChatInput-i', { input_value: '', session_id: '' }, 'message'),
    node('Memory-m', { n_messages: nMessages, session_id: '' }, 'messages_text'),
  ];
  return flowData(
    [
      ...(historyFirst ? ends.toReversed() : ends),
      node('Prompt-p', { template: 'History:\n{history}\nQuestion: {q}', history: '', q: '' }, 'prompt'),
      node('OpenAIModel-m', { input_value: '', model_name: 'model', api_key: 'sk-x' }, 'text_output'),
      node('ChatOutput-o', { input_value: '', session_id: '' }, 'message'),
    ],
    [
      'Memory-m.messages_text > Prompt-p.history',
      'ChatInput-i.message > Prompt-p.q',
      'Prompt-p.prompt > OpenAIModel-m.input_value',
      'OpenAIModel-m.text_output > ChatOutput-o.input_value',
    ],
  );
}

/** Sends the next message of the session; resolves to the prompt of the model. */
async function promptOf(
  flow: FlowRecord,
  text: string,
  stream: boolean,
  sessionId = 'session',
): Promise<string | undefined> {
  const before = given.model.requestCount;
  const job = given.job(flow, {
    request: given.request(text, { stream, sessionId }),
  });
  await given.send(job);
  await until(() => given.model.requestCount > before, 'the model was not asked');
  given.model.answer('Hello big world');
  expect((await given.finalReply(job.runId)).headers['x-status']).toBe('succeeded');
  await given.recorded(job.runId);
  return given.model.prompts.at(-1);
}

// Langflow 1.11.0 and 1.13.0 sent these prompts to a model server that answered "Hello big world".
const recorded = {
  100: [
    'History:\n\nQuestion: one',
    'History:\nUser: one\nAI: Hello big world\nQuestion: two',
    'History:\nUser: one\nAI: Hello big world\nUser: two\nAI: Hello big world\nQuestion: three',
  ],
  2: [
    'History:\n\nQuestion: one',
    'History:\nUser: one\nAI: Hello big world\nQuestion: two',
    'History:\nUser: two\nAI: Hello big world\nQuestion: three',
  ],
};

describe.each([100, 2] as const)('a history of %i messages next to the chat input', (nMessages) => {
  test.each([
    ['first in the file, whole', true, false],
    ['last in the file, whole', false, false],
    ['first in the file, streamed', true, true],
    ['last in the file, streamed', false, true],
  ])(
    'does not contain the current question in any turn of the session: %s',
    async (_, historyFirst, stream) => {
      const document = flowWith(nMessages, historyFirst);
      const flow = await given.flows.create(given.userId, { name: `turns ${uuidv7()}`, document });
      const prompts: (string | undefined)[] = [];
      for (const text of ['one', 'two', 'three']) prompts.push(await promptOf(flow, text, stream));
      expect(prompts).toEqual(recorded[nMessages]);
    },
  );
});

test('reads of the session that callers without one share are counted by flow', async () => {
  const flow = await given.flows.create(given.userId, { name: 'shared', document: flowWith(2, true) });
  const count = async () =>
    new RegExp(`millrace_shared_history_reads_total{[^}]*flow_id="${flow.id}"[^}]*} (\\d+)`).exec(
      await given.metrics.prometheusText(),
    )?.[1];
  await promptOf(flow, 'one', false);
  expect(await count()).toBeUndefined();
  await promptOf(flow, 'two', false, flow.id);
  expect(await count()).toBe('1');
});
