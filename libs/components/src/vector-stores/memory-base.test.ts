import { Message } from '@millrace/python-text';
import { toolNode } from '../testing/tool-node.fixture';
import { flow, node, runFlow } from '../testing/flow-under-test.fixture';
import { serviceForAllTests, startFakeService } from '../integrations/http/fake-service.fixture';
import { createLettersHandler } from '../integrations/vector-stores/letters-embedding.fixture';
import { callToolOf } from '../testing/tool-caller.fixture';

const letters = serviceForAllTests(() => startFakeService(createLettersHandler()));

const history = ['my cat is called Tom', 'the weather is grey', 'I like hydrogen'].map(
  (text) => new Message({ text, sender: 'User', senderName: 'User' }),
);
const options = () => ({
  history,
  variables: {
    OPENAI_API_KEY: 'embedding-key',
    OPENAI_BASE_URL: `${letters.url}/v1`,
    KNOWLEDGE_EMBEDDING_MODEL: 'letters',
  },
});

const retrieve = async (values: Readonly<Record<string, unknown>>) => {
  const { text } = await runFlow(flow([node('MemoryBase-m', 'MemoryBase', values)]), {
    show: 'MemoryBase-m',
    ...options(),
  });
  return text as Record<string, unknown>[];
};

test('finds messages of the session by meaning', async () => {
  expect(await retrieve({ search_query: 'the cat called Tom', top_k: 1 })).toMatchObject([
    { content: 'my cat is called Tom', sender: 'User' },
  ]);
  const [bare] = await retrieve({ search_query: 'hydrogen', include_metadata: false });
  expect(Object.keys(bare ?? {})).toEqual(['content', '_score']);
});

test('the query itself is not a result', async () => {
  const found = await retrieve({ search_query: 'I like hydrogen' });
  expect(found.map((row) => row['content'])).not.toContain('I like hydrogen');
});

test('without a query returns the newest messages', async () => {
  expect((await retrieve({ top_k: 2 })).map((row) => row['content'])).toEqual([
    'I like hydrogen',
    'the weather is grey',
  ]);
});

test('a model searches it as a tool', async () => {
  const { tools, result } = await callToolOf(
    toolNode('MemoryBase-m', 'MemoryBase', [], { top_k: 1 }),
    { search_query: 'grey weather' },
    options(),
  );
  expect(tools.map(({ name }) => name)).toEqual(['retrieve_memory']);
  expect(result).toContain('the weather is grey');
  expect(result).not.toContain('hydrogen');
});
