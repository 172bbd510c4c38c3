import { ApiKey, chatModelHandle, embeddingsHandle, memoryHandle } from '@millrace/components';
import type { ChatModel, ChatRequest } from '@millrace/components';
import { Data, DataFrame } from '@millrace/python-text';
import type { Component, RunEvent, ToolHandle } from '@millrace/flow';
import type { PythonValue, Message } from '@millrace/python-text';
import { component, one, saved, show, valueInput } from './testing/author-component.fixture';
import { ListMemory } from './testing/list-memory.fixture';
import { give, runPythonFlow } from './testing/python-flow.fixture';
import type { TestVertex } from './testing/python-flow.fixture';
import { realPool } from './testing/real-pool.fixture';

const pool = realPool();

async function valueOf(
  code: string,
  more: Partial<TestVertex> & { components?: readonly Component[] } = {},
): Promise<PythonValue> {
  const { components = [], ...vertex } = more;
  const { shown } = await runPythonFlow(
    pool(),
    [
      ...components.map(({ type }) => ({ id: `${type}-1` })),
      { id: 'Mine-1', code, outputs: saved, ...vertex },
      show('Mine-1.result'),
    ],
    { components },
  );
  return shown.get('Show-1') ?? null;
}

describe('a component', () => {
  test('of the style before 1.0 is built with its fields', async () => {
    const code = `
from langflow import CustomComponent
from langflow.field_typing import Text

class Old(CustomComponent):
    display_name = "Old"

    def build_config(self):
        return {"name": {"display_name": "Name"}}

    async def build(self, name: Text, times: int = 1) -> Text:
        self.status = "done"
        return name * times
`;
    expect(await valueOf(code, { fields: { name: 'ab', times: 2, other: 'x' } })).toBe('abab');
  });

  test('computes only the wanted outputs', async () => {
    const code = component(
      '',
      'Output(name="a", method="run_a"), Output(name="b", method="run_b")',
      'def run_a(self):\n    return 1\ndef run_b(self):\n    raise ValueError("not wanted")',
    );
    const outputs = ['a', 'b'].map((name) => ({
      name,
      display_name: name,
      method: `run_${name}`,
      types: [],
    }));
    const { shown } = await runPythonFlow(pool(), [{ id: 'Mine-1', code, outputs }, show('Mine-1.a')]);
    expect(shown.get('Show-1')).toBe(1);
  });

  test('stops a branch', async () => {
    const code = component(
      '',
      'Output(name="a", method="run_a"), Output(name="b", method="run_b")',
      'def run_a(self):\n    self.stop("b")\n    self.status = "chosen"\n    self.log("one line")\n    return 1\ndef run_b(self):\n    return 2',
    );
    const outputs = ['a', 'b'].map((name) => ({
      name,
      display_name: name,
      method: `run_${name}`,
      types: [],
    }));
    const { shown } = await runPythonFlow(pool(), [
      { id: 'Mine-1', code, outputs },
      show('Mine-1.a'),
      show('Mine-1.b', 'Show-2'),
    ]);
    expect([...shown.keys()]).toEqual(['Show-1']);
  });

  test('uses Data, tables and messages of Langflow', async () => {
    const code = component(
      valueInput,
      one,
      'def run_it(self):\n    frame = DataFrame([item.data for item in self.value])\n    frame["sum"] = frame["a"] + frame["b"]\n    return frame',
    );
    const rows = [new Data({ a: 1, b: 2.5 }), new Data({ a: 2, b: 0.5 })];
    const value = await valueOf(code, {
      from: { value: ['Rows-1.value'] },
      components: [give('Rows', rows)],
    });
    expect(value).toBeInstanceOf(DataFrame);
    expect(JSON.parse(JSON.stringify(value))).toEqual([
      { a: 1, b: 2.5, sum: 3.5 },
      { a: 2, b: 0.5, sum: 2.5 },
    ]);
  });

  test('sends and reads messages of the session', async () => {
    const code = component(
      '',
      one,
      `async def run_it(self):
    from lfx.memory import aget_messages, astore_message
    await astore_message(Message(text="one", sender="User", sender_name="Ann", session_id=self.graph.session_id))
    found = await aget_messages(session_id=self.graph.session_id, order="ASC")
    return [message.text + message.sender_name for message in found]`,
    );
    expect(await valueOf(code)).toEqual(['oneAnn']);
  });

  test('streams a message that it sends to the caller', async () => {
    const code = component(
      '',
      one,
      `async def run_it(self):
    async def parts():
        for part in ("Hello", " ", "world"):
            yield part
    sent = await self.send_message(Message(text=parts(), sender="Machine", sender_name="AI"))
    return sent`,
    );
    const { events, stored } = await runPythonFlow(pool(), [
      { id: 'Mine-1', code, outputs: saved },
      {
        id: 'ChatOutput-1',
        from: { input_value: 'Mine-1.result' },
        fields: { should_store_message: { type: 'bool', value: false } },
      },
    ]);
    const chunks = events.flatMap((event: RunEvent) =>
      event.event === 'token' ? [(event.data as { chunk: string }).chunk] : [],
    );
    expect(chunks).toEqual(['Hello', ' ', 'world']);
    expect(stored[0]?.text).toBe('Hello world');
  });

  test('of lfx runs without a text', async () => {
    const { shown } = await runPythonFlow(pool(), [
      {
        id: 'TextInput-1',
        module: 'lfx.components.input_output.TextInputComponent',
        outputs: [{ name: 'text', method: 'text_response', display_name: 'Text', types: [] }],
        fields: { input_value: 'Hi' },
      },
      show('TextInput-1.text'),
    ]);
    expect((shown.get('Show-1') as Message).text).toBe('Hi');
  });

  test('has no environment of the executor and a folder of its own', async () => {
    const code = component(
      '',
      one,
      'def run_it(self):\n    import os\n    open("mine.txt", "w").write("x")\n    return [sorted(os.environ), os.listdir(".")]',
    );
    const [names, files] = (await valueOf(code)) as readonly [readonly string[], readonly string[]];
    expect(names.filter((name) => /URL|KEY|SECRET|TOKEN/.test(name))).toEqual([]);
    expect(files).toEqual(['mine.txt']);
  });
});

describe('native objects in Python', () => {
  const asked: ChatRequest[] = [];
  const model = chatModelHandle({
    provider: 'Test',
    model: 'test-1',
    baseUrl: '',
    apiKey: new ApiKey('native-key'),
    keyHeader: null,
    headers: {},
    query: {},
    maximumRetries: 0,
    timeoutMilliseconds: 1,
    parameters: {},
    protocol: {
      parameters: () => ({}),
      complete: (_chat, request) => {
        asked.push(request);
        const call = request.toolToCall;
        return Promise.resolve({
          text: call === undefined ? `You said ${request.messages.at(-1)?.content ?? ''}` : '',
          toolCalls:
            call === undefined
              ? []
              : [{ id: 'c1', name: call, argumentsText: '{"city": "Rome", "count": 2}' }],
          usage: { input_tokens: 3, output_tokens: 4, total_tokens: 7 },
        });
      },
      stream: async function* () {
        yield 'a';
        yield 'b';
        return { text: 'ab', toolCalls: [], usage: null };
      },
    },
  } satisfies ChatModel);
  const withModel = { from: { value: 'Model-1.value' }, components: [give('Model', model)] };

  test.each(['self.value.invoke("hi").content', '(await self.value.ainvoke("hi")).content'])(
    'a model answers %s',
    async (expression) => {
      const code = component(valueInput, one, `async def run_it(self):\n    return ${expression}`);
      expect(await valueOf(code, withModel)).toBe('You said hi');
    },
  );

  test('a model streams', async () => {
    const code = component(
      valueInput,
      one,
      'async def run_it(self):\n    return [part.content async for part in self.value.astream("hi")] + [part.content for part in self.value.stream("x")]',
    );
    const parts = (await valueOf(code, withModel)) as readonly string[];
    expect(parts.filter((part) => part !== '')).toEqual(['a', 'b', 'a', 'b']);
  });

  test('a model gives structured output', async () => {
    const code = component(
      valueInput,
      one,
      `def run_it(self):
    from pydantic import BaseModel
    class Place(BaseModel):
        city: str
        count: int
    found = self.value.with_structured_output(Place).invoke("where?")
    return [found.city, found.count]`,
    );
    expect(await valueOf(code, withModel)).toEqual(['Rome', 2]);
    expect(asked.at(-1)?.toolToCall).toBe('Place');
  });

  test('a model does not show its key', async () => {
    const code = component(valueInput, one, 'def run_it(self):\n    return repr(vars(self.value))');
    expect(await valueOf(code, withModel)).not.toContain('native-key');
  });

  test('an embedding model, a tool, a vector store and a memory', async () => {
    const embeddings = embeddingsHandle({
      provider: 'Test',
      model: 'e',
      baseUrl: '',
      apiKey: new ApiKey(''),
      keyHeader: null,
      headers: {},
      query: {},
      maximumRetries: 0,
      timeoutMilliseconds: 1,
      dimensions: null,
      batchSize: 10,
      scope: {},
      protocol: {
        maximumTexts: 10,
        embed: (_settings, all) => Promise.resolve(all.map((text) => [text.length, 0.5])),
      },
    });
    const tool: ToolHandle = {
      kind: 'tool',
      name: 'add',
      description: 'Adds.',
      parameters: { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] },
      call: (given) => Promise.resolve(`got ${JSON.stringify(given)}`),
    };
    const retriever = {
      kind: 'retriever',
      search: (query: string) => Promise.resolve([new Data({ text: `found ${query}`, n: 1 })]),
    } as const;
    const code = component(
      'HandleInput(name="e", input_types=["Embeddings"]), HandleInput(name="t", input_types=["Tool"], is_list=True), ' +
        'HandleInput(name="r", input_types=["Retriever"]), HandleInput(name="m", input_types=["Memory"])',
      one,
      `def run_it(self):
    self.m.add_user_message("from Python")
    return [
        self.e.embed_query("abc"),
        self.t[0].invoke({"a": 1}),
        self.r.invoke("x")[0].page_content,
        [message.content for message in self.m.messages],
    ]`,
    );
    const value = await valueOf(code, {
      from: { e: 'Embed-1.value', t: ['Tool-1.value'], r: 'Retrieve-1.value', m: 'Memo-1.value' },
      components: [
        give('Embed', embeddings),
        give('Tool', tool),
        give('Retrieve', retriever),
        give('Memo', memoryHandle(new ListMemory())),
      ],
    });
    expect(JSON.stringify(value)).toBe(
      JSON.stringify([[3, 0.5], 'got {"a":1}', 'found x', ['before', 'from Python']]),
    );
  });
});
