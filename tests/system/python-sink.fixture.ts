import { createServer } from 'node:http';
import type { Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { node } from '@millrace/testing';

/** The output of the components below, as the editor saves it. */
const RESULT = { name: 'result', method: 'call', types: ['Message'] };
const completion = JSON.stringify({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'fake',
  choices: [{ index: 0, message: { role: 'assistant', content: 'hello' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
});

/**
 * A server that components call at `/<group>/<name>/<what>`. The calls of a group wait until it is released: those of
 * `held`, and those of a model, whose base address is `/<group>/<name>/model`. `spin` is answered with that word until
 * then, `block` always with that word; all others are answered at once.
 */
export class PythonSink {
  readonly paths: string[] = [];
  readonly #server: Server;
  readonly #waiting: { readonly group: string; answer(): void }[] = [];
  readonly #released = new Set<string>();

  private constructor() {
    this.#server = createServer((request, response) => {
      request.resume();
      this.paths.push(request.url ?? '');
      const [, group = '', , what = ''] = (request.url ?? '').split('/');
      if (this.#released.has(group) || !['held', 'model'].includes(what)) this.#answer(group, what, response);
      else this.#waiting.push({ group, answer: () => this.#answer(group, what, response) });
    });
  }

  static async open(): Promise<PythonSink> {
    const sink = new PythonSink();
    await new Promise<void>((resolve) => sink.#server.listen(0, '127.0.0.1', resolve));
    return sink;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Returns how many calls a path has received. */
  count(path: string): number {
    return this.paths.filter((received) => received.startsWith(`/${path}`)).length;
  }

  /** Answers the calls of a group, those that wait and those that follow. */
  release(group: string): void {
    this.#released.add(group);
    for (const waiting of this.#waiting.splice(0)) {
      if (waiting.group === group) waiting.answer();
      else this.#waiting.push(waiting);
    }
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /**
   * A vertex in Python that calls a path. Answered with `spin`, it computes without an end; with `block`, it blocks its process
   * after its result was reported.
   */
  caller(id: string, path: string): ReturnType<typeof node> {
    const text = `import asyncio
import time
import urllib.request

from lfx.custom import Component
from lfx.io import MessageTextInput, Output
from lfx.schema.message import Message


class ${id.split('-')[0]}(Component):
    inputs = [MessageTextInput(name="path"), MessageTextInput(name="after")]
    outputs = [Output(name="result", method="call")]

    def fetch(self) -> str:
        with urllib.request.urlopen("${this.url}/" + self.path) as answer:
            return answer.read().decode()

    async def call(self) -> Message:
        word = await asyncio.to_thread(self.fetch)
        while word == "spin":
            pass
        if word == "block":
            asyncio.get_running_loop().call_soon(time.sleep, 60)
        return Message(text=self.path + " " + word)
`;
    return node(id, { path, after: '', code: { type: 'code', value: text } }, RESULT);
  }

  /** A vertex in Python that asks the native model of its field `model`. */
  asker(id: string): ReturnType<typeof node> {
    const text = `from lfx.custom import Component
from lfx.io import HandleInput, MessageTextInput, Output
from lfx.schema.message import Message


class ${id.split('-')[0]}(Component):
    inputs = [HandleInput(name="model", input_types=["LanguageModel"]), MessageTextInput(name="after")]
    outputs = [Output(name="result", method="call")]

    async def call(self) -> Message:
        return Message(text=str((await self.model.ainvoke("hello")).content))
`;
    const model = { type: 'other', value: '' };
    return node(id, { model, after: '', code: { type: 'code', value: text } }, RESULT);
  }

  /** A native vertex of a model. Its outputs are `text_output` and `model_output`. */
  model(id: string, path: string): ReturnType<typeof node> {
    const base = `${this.url}/${path}/model`;
    return node(
      id,
      { openai_api_base: base, api_key: 'sk-test', model_name: 'fake', input_value: 'hello' },
      'text_output',
      'model_output',
    );
  }

  #answer(group: string, what: string, response: ServerResponse): void {
    if (what === 'model') {
      response.setHeader('content-type', 'application/json');
      response.end(completion);
    } else if (what === 'block') response.end('block');
    else response.end(what === 'spin' && !this.#released.has(group) ? 'spin' : 'done');
  }
}
