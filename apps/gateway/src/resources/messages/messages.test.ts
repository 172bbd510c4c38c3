import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openTestGateway } from '../../testing/test-gateway';
import type { TestGateway } from '../../testing/test-gateway';

const echo = JSON.parse(readFileSync(join(__dirname, '../../../../../examples/echo.json'), 'utf8')) as object;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await openTestGateway();
}, 60_000);
afterAll(() => gateway.close());

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
    expect((await gateway.call('PUT', `${root}/${rows[0]?.id}`, { text: 'fixed' })).json).toMatchObject({
      text: 'fixed',
      edit: true,
      files: [],
    });
    expect((await gateway.call('PATCH', `${root}/session/before?new_session_id=after`)).json).toMatchObject([
      { text: 'typo', session_id: 'after' },
      { text: 'fixed', session_id: 'after' },
    ]);
    expect((await gateway.call('GET', `${root}/sessions`)).json).toEqual(['after']);
    expect((await gateway.call('DELETE', root, [rows[0]?.id])).status).toBe(204);
    expect((await gateway.call('GET', root)).json).toMatchObject([{ text: 'typo' }]);
    expect((await gateway.call('DELETE', `${root}/session/after`)).status).toBe(204);
    expect((await gateway.call('GET', root)).json).toEqual([]);
    expect((await gateway.call('PATCH', `${root}/session/after?new_session_id=x`)).status).toBe(404);
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
