import { failureOf, flow, node, runFlow, edge } from '../testing/flow-under-test.fixture';
import type { RunUnderTest } from '../testing/flow-under-test.fixture';
import { startWatsonxServer } from '../integrations/watsonx/watsonx-server.fixture';
import type { WatsonxServer } from '../integrations/watsonx/watsonx-server.fixture';

let service: WatsonxServer;
beforeEach(async () => {
  service = await startWatsonxServer();
});
afterEach(() => service.close());

const ask = (values: Readonly<Record<string, unknown>>): Promise<RunUnderTest> =>
  runFlow(
    flow(
      [
        node('ChatInput-a', 'ChatInput'),
        node('Model-m', 'IBMwatsonxModel', { model_name: 'ibm/granite-4', api_key: 'a-key', ...values }),
        node('ChatOutput-z', 'ChatOutput'),
      ],
      [
        edge('ChatInput-a', 'message', 'Model-m', 'input_value'),
        edge('Model-m', 'text_output', 'ChatOutput-z', 'input_value'),
      ],
    ),
    { input: 'q', fetch: service.fetch },
  );

test('exchanges the key for a token and calls the model in the project', async () => {
  const values = { project_id: 'project', url: 'https://us-south.ml.cloud.ibm.com', stop_sequence: 'END' };
  expect((await ask(values)).text).toBe('You said q');
  expect(service.asked.map(({ path }) => path)).toEqual(['/identity/token', '/ml/v1/text/chat']);
  expect(service.asked[1]?.json).toEqual({
    model_id: 'ibm/granite-4',
    project_id: 'project',
    messages: [{ role: 'user', content: 'q' }],
    max_tokens: 1000,
    temperature: 0.1,
    top_p: 0.9,
    seed: 8,
    frequency_penalty: 0.5,
    presence_penalty: 0.3,
    logprobs: true,
    top_logprobs: 3,
    stop: ['END'],
  });
});

test('calls the model in a deployment space, and reports missing or wrong settings', async () => {
  expect((await ask({ space_id: 'space', logit_bias: '{"7": -1}', logprobs: false })).text).toBe(
    'You said q',
  );
  expect(service.asked[1]?.json).toMatchObject({ space_id: 'space', logit_bias: { 7: -1 }, logprobs: false });
  expect(service.asked[1]?.json).not.toHaveProperty('top_logprobs');
  expect(await failureOf(ask({}))).toContain('A project ID or a deployment space ID is required');
  expect(await failureOf(ask({ space_id: 's', logit_bias: 'heavy' }))).toContain('Logit Bias must be');
});
