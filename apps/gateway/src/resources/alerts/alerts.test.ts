import { AlertStore } from '@millrace/runs';
import { gatewayForTests } from '../../testing/test-gateway';

const gateway = gatewayForTests();

test('the open alerts of the flows of a user are listed, and not to another user', async () => {
  const flow = await gateway.createFlow({
    name: 'watched',
    data: { nodes: [], edges: [] },
    settings: { alerts: [{ name: 'failing', measure: 'failures', threshold: 0.1, windowMinutes: 15 }] },
  });
  const alerts = new AlertStore({ database: gateway.database });
  const evaluate = () => alerts.evaluate({ intervalMilliseconds: 0, pythonPool: null });
  await evaluate();
  const none = { calls: 0, inputTokens: 0, outputTokens: 0, unpricedCalls: 0, cost: 0 };
  const numbers = { runs: 4, failures: 1, waitingMilliseconds: 0, runningMilliseconds: 90 };
  const subject = { userId: gateway.user.id, flowId: flow, keyId: null, pool: 'default' };
  await gateway.runs.countUsage([{ ...subject, ...numbers, ...none, provider: '', model: '' }]);
  await evaluate();
  const read = async (query = '', headers = {}) =>
    (await gateway.call('GET', `/api/v1/alerts${query}`, undefined, headers)).json;
  const listed = [
    {
      alert_id: expect.any(String) as string,
      flow_id: flow,
      flow_name: 'watched',
      rule: 'failing',
      measure: 'failures',
      threshold: 0.1,
      window_minutes: 15,
      value: 0.25,
      began_at: expect.stringMatching(/^\d{4}-/) as string,
    },
  ];
  expect(await read()).toEqual(listed);
  expect(await read(`?flow_id=${flow}`)).toEqual(listed);
  expect(await read(`?flow_id=${gateway.user.id}`)).toEqual([]);
  expect(await read('?offset=1')).toEqual([]);
  const { json } = await gateway.call('POST', '/api/v1/users', { username: 'not-on-call' });
  expect(await read('', { 'x-api-key': (json as { api_key: string }).api_key })).toEqual([]);
});

test.each(['?flow_id=x', '?limit=0', '?limit=201', '?offset=-1', '?state=ended'])(
  '%s is refused',
  async (query) => {
    expect((await gateway.call('GET', `/api/v1/alerts${query}`)).status).toBe(422);
  },
);
