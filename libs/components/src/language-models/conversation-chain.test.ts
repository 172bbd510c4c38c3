import { edge, flow, node, runFlow } from '../testing/flow-under-test.fixture';
import type { RunUnderTest } from '../testing/flow-under-test.fixture';
import { createAstraMemoryHandler } from '../integrations/astra/astra-memory-server.fixture';
import { serviceForEachTest, startFakeService } from '../integrations/http/fake-service.fixture';
import { openModelServerForEachTest } from '../integrations/openai/openai-server.fixture';

const server = openModelServerForEachTest();
const memory = serviceForEachTest(() => startFakeService(createAstraMemoryHandler()));

const talk = (input_value: string, withMemory: boolean): Promise<RunUnderTest> => {
  const model = { api_key: 'a-key', openai_api_base: server.url };
  const astra = { token: 'AstraCS:good', api_endpoint: memory.url, collection_name: 'memories' };
  return runFlow(
    flow(
      [
        node('Model-m', 'OpenAIModel', model),
        node('Astra-a', 'AstraDBChatMemory', astra),
        node('Chain-c', 'ConversationChain', { input_value }),
      ],
      [
        edge('Model-m', 'model_output', 'Chain-c', 'llm'),
        ...(withMemory ? [edge('Astra-a', 'memory', 'Chain-c', 'memory')] : []),
      ],
    ),
    { show: 'Chain-c', sessionId: 'session' },
  );
};

test('answers without a memory', async () => {
  expect((await talk('Moin', false)).text).toBe('Hello big world');
  const roles = server.requests[0]?.body.messages.map(({ role }) => role);
  expect(roles).toEqual(['system', 'user']);
});

test('continues the conversation of its memory, and adds both messages to it', async () => {
  await talk('first', true);
  await talk('second', true);
  // The order of messages of the same millisecond is undefined.
  const sent = server.requests[1]?.body.messages.slice(1).map(({ content }) => content) ?? [];
  expect([...sent].sort()).toEqual(['Hello big world', 'first', 'second']);
  expect(sent.at(-1)).toBe('second');
});

test('an empty input is sent', async () => {
  await talk('', false);
  expect(server.requests[0]?.body.messages.at(-1)).toEqual({ role: 'user', content: '' });
});
