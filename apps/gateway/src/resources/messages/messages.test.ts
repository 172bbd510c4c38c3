import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gatewayForTests } from '../../testing/test-gateway';

const echo = JSON.parse(readFileSync(join(__dirname, '../../../../../examples/echo.json'), 'utf8')) as object;

const gateway = gatewayForTests();

describe('messages', () => {
  test('are edited, renamed with their session, and deleted', async () => {
    await gateway.createFlow({ ...echo, endpoint_name: 'talk' });
    await gateway.call('POST', '/api/v1/run/talk', { input_value: 'typo', session_id: 'before' });
    const root = '/api/v1/monitor/messages';
    const rows = (await gateway.call('GET', `${root}?session_id=before&order=DESC`)).json as {
      id: string;
      sender: string;
    }[];
    expect(rows).toMatchObject([{ sender: 'Machine', files: '[]' }, { sender: 'User' }]);
    const changed = await gateway.call('PUT', `${root}/${rows[0]?.id}`, { properties: { icon: 'Bot' } });
    expect(changed.json).toMatchObject({
      properties: { icon: 'Bot', text_color: null, state: 'complete', targets: [], source: { id: null } },
    });
    const counted = { properties: { usage: { input_tokens: 3 } } };
    expect((await gateway.call('PUT', `${root}/${rows[0]?.id}`, counted)).json).toMatchObject({
      properties: { usage: { input_tokens: 3, output_tokens: null, total_tokens: null } },
    });
    expect((await gateway.call('PUT', `${root}/${rows[0]?.id}`, { text: 'fixed' })).json).toMatchObject({
      text: 'fixed',
      edit: true,
      files: [],
    });
    expect((await gateway.call('PATCH', `${root}/session/before?new_session_id=after`)).json).toMatchObject([
      { text: 'typo', session_id: 'after', files: '[]' },
      { text: 'fixed', session_id: 'after', files: '[]' },
    ]);
    expect((await gateway.call('GET', `${root}/sessions`)).json).toEqual(['after']);
    expect((await gateway.call('DELETE', root, [rows[0]?.id])).status).toBe(204);
    expect((await gateway.call('GET', root)).json).toMatchObject([{ text: 'typo' }]);
    const emptied = await gateway.call('DELETE', `${root}/session/after`);
    expect([emptied.status, emptied.headers.get('content-type')]).toEqual([204, 'application/json']);
    expect((await gateway.call('GET', root)).json).toEqual([]);
    expect((await gateway.call('PATCH', `${root}/session/after?new_session_id=x`)).status).toBe(404);
  });

  test('each member of a message can be changed, also its session', async () => {
    await gateway.createFlow({ ...echo, endpoint_name: 'changed' });
    await gateway.call('POST', '/api/v1/run/changed', { input_value: 'moved', session_id: 'from' });
    const root = '/api/v1/monitor/messages';
    const [row] = (await gateway.call('GET', `${root}?session_id=from`)).json as { id: string }[];
    const changes = {
      session_id: 'to',
      context_id: 'c',
      category: 'info',
      content_blocks: [{ title: 'T', contents: [], allow_markdown: true, media_url: null }],
      session_metadata: { a: 1 },
    };
    // As in Langflow only groups are kept.
    const sent = { ...changes, content_blocks: [{}, { title: 'T', contents: [] }] };
    const changed = await gateway.call('PUT', `${root}/${row?.id}`, sent);
    expect(changed.json).toMatchObject({ ...changes, text: 'moved', edit: false });
    expect((await gateway.call('GET', `${root}?session_id=to`)).json).toMatchObject([changes]);
    expect((await gateway.call('GET', `${root}?session_id=from`)).json).toHaveLength(1);
    const wrong = { content_blocks: [1], session_metadata: [], category: 1 };
    expect((await gateway.call('PUT', `${root}/${row?.id}`, wrong)).json).toMatchObject({
      detail: [
        { type: 'dict_type', loc: ['body', 'session_metadata'] },
        { type: 'string_type', loc: ['body', 'category'] },
        { type: 'dict_type', loc: ['body', 'content_blocks', 0] },
      ],
    });
  });

  test('several sessions are deleted at once, and only those with messages count', async () => {
    await gateway.createFlow({ ...echo, endpoint_name: 'several' });
    for (const session of ['one', 'two'])
      await gateway.call('POST', '/api/v1/run/several', { input_value: 'x', session_id: session });
    const remove = (body: unknown) => gateway.call('DELETE', '/api/v1/monitor/messages/sessions', body);
    expect((await remove(['one', 'two', 'two', 'three'])).json).toEqual({
      message: 'Messages deleted successfully for 2 sessions',
      deleted_count: 2,
    });
    expect((await remove(['one'])).json).toEqual({ message: 'No sessions to delete', deleted_count: 0 });
    expect((await remove(Array.from({ length: 501 }, (_, index) => `s${index}`))).status).toBe(400);
    expect((await remove([1])).status).toBe(422);
  });

  test('a session id in a filter may be encoded twice', async () => {
    await gateway.createFlow({ ...echo, endpoint_name: 'encoded' });
    await gateway.call('POST', '/api/v1/run/encoded', {
      input_value: 'hi',
      session_id: '2024-01-15 10:30 \u00e9%',
    });
    const found = async (id: string) =>
      (await gateway.call('GET', `/api/v1/monitor/messages?session_id=${encodeURIComponent(id)}`)).json;
    expect(await found(encodeURIComponent('2024-01-15 10:30 \u00e9%'))).toHaveLength(2);
    expect(await found('2024-01-15 10:30 \u00e9%')).toHaveLength(2);
    expect(await found('%00')).toEqual([]);
  });

  test('those of one run are read alone, in pages, and their texts up to a length', async () => {
    await gateway.createFlow({ ...echo, endpoint_name: 'pages' });
    const ask = async (text: string) => {
      const body = { input_value: text, session_id: 'long' };
      return String((await gateway.call('POST', '/api/v1/run/pages', body)).headers.get('x-run-id'));
    };
    await ask('before');
    const run = await ask(`${'x'.repeat(99)}\u{1F600}${'y'.repeat(5_000)}`);
    const read = async (query: string) =>
      (await gateway.call('GET', `/api/v1/monitor/messages?session_id=long&run_id=${run}${query}`)).json;
    const whole = (await read('')) as { sender: string; text: string }[];
    expect(whole.map(({ sender, text }) => [sender, text.length])).toEqual([
      ['User', 5_101],
      ['Machine', 5_101],
    ]);
    expect(await read('&text_limit=100')).toMatchObject([{ text: 'x'.repeat(99) }, { text: 'x'.repeat(99) }]);
    expect(await read('&limit=0')).toHaveLength(2);
    expect(await read('&text_limit=10&offset=1&limit=1')).toMatchObject([
      { sender: 'Machine', text: 'x'.repeat(10) },
    ]);
    expect(
      (await gateway.call('GET', '/api/v1/monitor/messages?run_id=zzz&text_limit=0')).json,
    ).toMatchObject({
      detail: [{ loc: ['query', 'run_id'] }, { loc: ['query', 'text_limit'] }],
    });
  });

  test('a conversation is listed, and read from its end with the run of each message', async () => {
    const flow = await gateway.createFlow({ ...echo, endpoint_name: 'conversing' });
    const say = async (text: string, session: string) => {
      const body = { input_value: text, session_id: session };
      return (await gateway.call('POST', '/api/v1/run/conversing', body)).headers.get('x-run-id');
    };
    await say('hello', 'first');
    const run = await say('x'.repeat(300), 'second');
    const read = async (path: string) =>
      (await gateway.call('GET', `/api/v1/conversations${path}`)).json as { next_cursor: string | null };
    expect(await read(`?flow_id=${flow}`)).toMatchObject({
      conversations: [
        {
          flow_id: flow,
          session_id: 'second',
          last_run: { id: run, status: 'succeeded' },
          last_message: { sender: 'Machine', text: 'x'.repeat(200) },
        },
        { session_id: 'first' },
      ],
      next_cursor: null,
    });
    const part = `/messages?flow_id=${flow}&session_id=second&limit=1&text_limit=5`;
    const newest = await read(part);
    expect(newest).toMatchObject({
      messages: [{ run_id: run, sender: 'Machine', text: 'xxxxx', cut: true }],
    });
    expect(await read(`${part}&cursor=${newest.next_cursor}`)).toMatchObject({
      messages: [{ run_id: run, sender: 'User' }],
      next_cursor: null,
    });
    expect(await read('/messages?cursor=x')).toMatchObject({
      detail: [{ loc: ['query', 'flow_id'] }, { loc: ['query', 'session_id'] }, { loc: ['query', 'cursor'] }],
    });
  });

  test.each([
    ['order=SIDEWAYS', 400, 'Invalid order direction: SIDEWAYS'],
    ['flow_id=zzz', 422, [{ type: 'uuid_parsing', loc: ['query', 'flow_id'] }]],
    ['limit=many', 422, [{ type: 'int_parsing', loc: ['query', 'limit'] }]],
  ])('a filter %s is refused', async (query, status, detail) => {
    expect(await gateway.call('GET', `/api/v1/monitor/messages?${query}`)).toMatchObject({
      status,
      json: { detail },
    });
  });
});
