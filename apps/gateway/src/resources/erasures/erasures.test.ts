import { gatewayForTests } from '../../testing/test-gateway';

let flowId: string;
const gateway = gatewayForTests();
beforeAll(async () => {
  const made = await gateway.call('POST', '/api/v1/flows/', { name: 'f', data: { nodes: [], edges: [] } });
  flowId = (made.json as { id: string }).id;
}, 60_000);

const erase = (body: unknown) => gateway.call('POST', '/api/v1/erasures', body);

/** Stores a message of a session. */
async function store(sessionId: string) {
  await gateway.database.query({
    text: `INSERT INTO messages (id, flow_id, user_id, timestamp, session_id, context_id, sender, sender_name, body)
      VALUES (gen_random_uuid(), $1, $2, now(), $3, '', 'User', 'User', '{"text":"a"}')`,
    values: [flowId, gateway.user.id, sessionId],
  });
}

test('a session is erased, and then all sessions of an end user', async () => {
  for (const session of ['ann::1', 'ann::2', 'bob::1', 'alone']) await store(session);
  expect(await erase({ session_id: 'alone' })).toMatchObject({
    status: 200,
    json: { sessions: 1, messages: 1, runs: 0, runs_in_progress: 0, complete: true },
  });
  expect((await erase({ end_user_id: 'ann' })).json).toEqual({
    sessions: 2,
    messages: 2,
    runs: 0,
    runs_in_progress: 0,
    complete: true,
  });
  expect((await gateway.call('GET', '/api/v1/monitor/messages/sessions')).json).toEqual(['bob::1']);
  const log = (await gateway.call('GET', '/api/v1/audit?action=session.erased')).text;
  expect(log).toContain('"by":"end_user"');
  expect(log).not.toContain('ann');
});

test('many sessions take several requests', async () => {
  for (let session = 0; session < 70; session += 1) await store(`eve::${session}`);
  expect((await erase({ end_user_id: 'eve' })).json).toMatchObject({ sessions: 50, complete: false });
  expect((await erase({ end_user_id: 'eve' })).json).toMatchObject({ sessions: 20, complete: true });
  expect((await erase({ end_user_id: 'eve' })).json).toMatchObject({ sessions: 0, complete: true });
});

test.each([{}, { session_id: '', end_user_id: null }, { session_id: 'a', end_user_id: 'b' }])(
  '%j names nothing, or two things, and is refused',
  async (body) => {
    expect(await erase(body)).toMatchObject({
      status: 400,
      json: { detail: 'Name either session_id or end_user_id.' },
    });
  },
);
