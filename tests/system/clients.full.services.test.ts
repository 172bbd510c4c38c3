import { LangflowClient } from '@datastax/langflow-client';
import OpenAI from 'openai';
import { forAllTests } from '@millrace/testing';
import { startTestSystem } from './test-system';

let langflow: LangflowClient;
let openai: OpenAI;

const system = forAllTests(startTestSystem);
beforeAll(async () => {
  langflow = new LangflowClient({ baseUrl: system.url, apiKey: system.key });
  openai = new OpenAI({ apiKey: system.key, baseURL: `${system.url}/api/v1`, maxRetries: 0 });
}, 120_000);

describe('@datastax/langflow-client', () => {
  test('runs a flow by its id and its endpoint name', async () => {
    const { id, endpoint } = await system.upload('echo');
    for (const reference of [id, endpoint]) {
      const answer = await langflow.flow(reference).run('Hello there', { session_id: 's-1' });
      expect(answer.sessionId).toBe('s-1');
      expect(answer.chatOutputText()).toBe('Hello there');
    }
  });

  test('receives each event of a streamed run', async () => {
    const { id } = await system.upload('chat');
    const tokens: string[] = [];
    const names: string[] = [];
    const reader = (await langflow.flow(id).stream('[[tokens=20 interval=5]]')).getReader();
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      names.push(next.value.event);
      if (next.value.event === 'token') tokens.push(next.value.data.chunk);
    }
    expect(tokens).toHaveLength(20);
    expect([names[0], names.at(-1)]).toEqual(['add_message', 'end']);
  });

  test('changes a flow for one run by tweaks', async () => {
    const { id } = await system.upload('echo');
    const tweaked = langflow.flow(id).tweak('Chat Output', { sender_name: 'Miller' });
    const answer = await tweaked.run('x');
    expect(JSON.stringify(answer.outputs)).toContain('"sender_name":"Miller"');
    const plain = await langflow.flow(id).run('x');
    expect(JSON.stringify(plain.outputs)).not.toContain('Miller');
  });

  test('keeps sessions apart', async () => {
    const { id } = await system.upload('echo');
    await langflow.flow(id).run('one', { session_id: 'left' });
    await langflow.flow(id).run('two', { session_id: 'right' });
    const messages = await system.getJson<{ text: string }[]>(
      `/api/v1/monitor/messages?flow_id=${id}&session_id=left`,
    );
    expect(messages.map(({ text }) => text)).toEqual(['one', 'one']);
  });

  test('uploads files for a flow and for a user', async () => {
    const { id } = await system.upload('echo');
    const file = new File(['some text'], 'notes.txt', { type: 'text/plain' });
    const uploaded = await langflow.flow(id).uploadFile(file);
    expect(uploaded.flowId).toBe(id);
    expect(uploaded.filePath).toMatch(/notes\.txt$/);
    const { id: fileId } = await langflow.files.upload(file);
    expect((await langflow.files.list()).map((listed) => listed.id)).toContain(fileId);
  });

  test('reports errors', async () => {
    const unknown = langflow.flow('00000000-0000-4000-8000-000000000011');
    await expect(unknown.run('x')).rejects.toThrow('404 - Not Found');
    const unauthorized = new LangflowClient({ baseUrl: system.url, apiKey: 'sk-wrong' });
    await expect(unauthorized.flow('echo').run('x')).rejects.toThrow('403 - Forbidden');
  });

  test('stops waiting when its signal is aborted', async () => {
    const { id } = await system.upload('chat');
    const signal = AbortSignal.timeout(200);
    await expect(langflow.flow(id).run('[[delay=5000]]', { signal })).rejects.toThrow();
  });
});

describe('openai', () => {
  test('receives a response and continues the conversation', async () => {
    const { endpoint } = await system.upload('chat');
    const first = await openai.responses.create({ model: endpoint, input: 'Hi [[reply="Good day."]]' });
    expect(first.output_text).toBe('Good day.');
    const next = await openai.responses.create({
      model: endpoint,
      input: '[[reply="Bye."]]',
      previous_response_id: first.id,
    });
    expect([next.id, next.output_text]).toEqual([first.id, 'Bye.']);
  });

  test('receives a streamed response, each token once', async () => {
    const { endpoint } = await system.upload('chat');
    const stream = await openai.responses.create({
      model: endpoint,
      input: '[[tokens=20 interval=5]]',
      stream: true,
    });
    const texts: string[] = [];
    let last: unknown;
    for await (const event of stream) {
      const { delta } = event as unknown as { delta?: { content?: string } };
      if (delta?.content) texts.push(delta.content);
      last = event;
    }
    expect(texts).toHaveLength(20);
    expect(last).toMatchObject({ type: 'response.completed', response: { status: 'completed' } });
  });
});
