import { chatModelOf, completeChat, embedTexts, streamChat } from '@millrace/components';
import {
  defineComponent,
  handle,
  isEmbeddingsHandle,
  isModelHandle,
  isRetrieverHandle,
  isToolHandle,
} from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import type { PythonValue } from '@millrace/python-text';
import { component, one, saved, show } from './testing/author-component.fixture';
import { runPythonFlow } from './testing/python-flow.fixture';
import { realPool } from './testing/real-pool.fixture';

const pool = realPool();

describe('objects of Python in native components', () => {
  async function used(
    code: string,
    use: (value: PythonValue, context: ComponentContext) => Promise<PythonValue>,
  ) {
    const user = defineComponent({
      type: 'User',
      displayName: 'User',
      description: 'Uses a value.',
      inputs: { value: handle() },
      outputs: { value: { types: [] } },
      deterministic: false,
      run: async ({ value }, context) => ({ value: await use(value, context) }),
    });
    const { shown } = await runPythonFlow(
      pool(),
      [
        { id: 'Mine-1', code, outputs: saved },
        { id: 'User-1', from: { value: 'Mine-1.result' } },
        show('User-1.value'),
      ],
      { components: [user] },
    );
    return shown.get('Show-1');
  }

  const fakeModel = component(
    '',
    one,
    `def run_it(self):
    from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
    return GenericFakeChatModel(messages=iter(["one two", "three four"]))`,
  );

  test('a model answers and streams', async () => {
    const value = await used(fakeModel, async (given, context) => {
      const chat = isModelHandle(given) ? chatModelOf(given) : null;
      if (chat === null) throw new Error('It is no model.');
      const whole = await completeChat(chat, [{ role: 'user', content: 'x' }], context);
      const parts: string[] = [];
      for await (const part of streamChat(chat, [{ role: 'user', content: 'x' }], context)) parts.push(part);
      return [whole.text, ...parts];
    });
    expect(value).toEqual(['one two', 'three', ' ', 'four']);
  });

  test('an embedding model', async () => {
    const code = component(
      '',
      one,
      `def run_it(self):
    from langchain_core.embeddings import DeterministicFakeEmbedding
    return DeterministicFakeEmbedding(size=3)`,
    );
    const value = await used(code, async (given, context) => {
      if (!isEmbeddingsHandle(given)) throw new Error('It is no embedding model.');
      return (await embedTexts(given, ['a', 'b'], context)).map((vector) => vector.length);
    });
    expect(value).toEqual([3, 3]);
  });

  test('a vector store is searched', async () => {
    const code = component(
      '',
      one,
      `def run_it(self):
    from langchain_core.documents import Document
    from langchain_core.embeddings import DeterministicFakeEmbedding
    from langchain_core.vectorstores import InMemoryVectorStore
    store = InMemoryVectorStore(DeterministicFakeEmbedding(size=8))
    store.add_documents([Document("red", metadata={"n": 1})])
    return store`,
    );
    const value = await used(code, async (given) => {
      if (!isRetrieverHandle(given)) throw new Error('It is no vector store.');
      return (await given.search('red')).map(({ data }) => data);
    });
    expect(value).toEqual([{ n: 1, text: 'red' }]);
  });

  test('a component in tool mode is called with arguments', async () => {
    const code = component(
      'MessageTextInput(name="city", tool_mode=True, info="A city")',
      one,
      'def run_it(self) -> Message:\n    """Looks up a city."""\n    return Message(text=f"{self.city} is sunny")',
    );
    const outputs = [
      {
        name: 'component_as_tool',
        display_name: 'Toolset',
        method: 'to_toolkit',
        types: ['Tool'],
        cache: true,
      },
    ];
    const caller = defineComponent({
      type: 'User',
      displayName: 'User',
      description: 'Calls tools.',
      inputs: { tools: handle() },
      outputs: { value: { types: [] } },
      deterministic: false,
      run: async ({ tools }) => {
        const [tool] = [tools].flat() as readonly PythonValue[];
        if (!isToolHandle(tool)) throw new Error('It is no tool.');
        return {
          value: [
            tool.name,
            Object.keys(tool.parameters['properties'] as object),
            await tool.call({ city: 'Rome' }),
          ],
        };
      },
    });
    const { shown } = await runPythonFlow(
      pool(),
      [
        { id: 'Mine-1', code, outputs, fields: { city: '' } },
        { id: 'User-1', from: { tools: 'Mine-1.component_as_tool' } },
        show('User-1.value'),
      ],
      { components: [caller] },
    );
    expect(shown.get('Show-1')).toEqual(['run_it', ['city'], 'Rome is sunny']);
  });
});
