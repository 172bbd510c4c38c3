import { gatewayForTests } from '../../testing/test-gateway';

const nothing = { nodes: [], edges: [] };

const gateway = gatewayForTests({
  environment: { MILLRACE_RUN_DEADLINE_SECONDS: '60', MILLRACE_BACKGROUND_RUN_DEADLINE_SECONDS: '90' },
});
beforeAll(async () => {
  await gateway.createFlow({ name: 'free', endpoint_name: 'free', data: nothing });
  await gateway.createFlow({
    name: 'hasty',
    endpoint_name: 'hasty',
    data: nothing,
    settings: { deadlineSeconds: 20 },
  });
  await gateway.createFlow({
    name: 'slow',
    endpoint_name: 'slow',
    data: nothing,
    settings: { deadlineSeconds: 86_400 },
  });
}, 60_000);

/** Starts a run; resolves to its deadline in both lanes, in seconds. */
async function deadlines(flow: string, headers: Readonly<Record<string, string>>) {
  await gateway.call('POST', `/api/v1/run/${flow}`, {}, headers);
  const job = gateway.executor.jobs.at(-1);
  const accepted = await gateway.call(
    'POST',
    `/api/v1/run/${flow}`,
    {},
    { ...headers, prefer: 'respond-async' },
  );
  const { run_id: id } = accepted.json as { run_id: string };
  const { rows } = await gateway.database.query<{ limit: number }>({
    text: 'SELECT limit_milliseconds / 1000 AS limit FROM runs WHERE id = $1',
    values: [id],
  });
  const interactive = job?.deadline == null ? null : Math.round((job.deadline - job.acceptedAt) / 1_000);
  return { interactive, background: rows[0]?.limit };
}

test.each([
  ['free', {}, { interactive: 60, background: 90 }],
  ['free', { 'x-deadline-seconds': '10' }, { interactive: 10, background: 10 }],
  ['free', { 'x-deadline-seconds': '100000' }, { interactive: 60, background: 90 }],
  ['hasty', {}, { interactive: 20, background: 20 }],
  ['hasty', { 'x-deadline-seconds': '10' }, { interactive: 10, background: 10 }],
  ['hasty', { 'x-deadline-seconds': '30' }, { interactive: 20, background: 20 }],
  ['slow', {}, { interactive: 60, background: 90 }],
])('the shortest deadline counts: flow %s with %j', async (flow, headers, expected) => {
  expect(await deadlines(flow, headers as Record<string, string>)).toEqual(expected);
});

test('a run ends at the deadline of its caller', async () => {
  gateway.executor.handleJob = () => Promise.resolve();
  try {
    const late = await gateway.call('POST', '/api/v1/run/free', {}, { 'x-deadline-seconds': '1' });
    expect([late.status, late.headers.get('x-error-code')]).toEqual([504, 'deadline_exceeded']);
  } finally {
    gateway.executor.handleJob = null;
  }
});

test('the header is read on the routes of workflows and responses', async () => {
  const flow = (await gateway.call('GET', '/api/v1/flows/')).json as { id: string; name: string }[];
  const id = flow.find(({ name }) => name === 'free')?.id;
  const chat = ['ChatInput', 'ChatOutput'].map((type) => ({
    id: type,
    data: { id: type, type, node: { template: {} } },
  }));
  const model = await gateway.createFlow({ name: 'chat', data: { nodes: chat, edges: [] } });
  const headers = { 'x-deadline-seconds': '7' };
  const seconds = () => {
    const job = gateway.executor.jobs.at(-1);
    return job?.deadline == null ? null : Math.round((job.deadline - job.acceptedAt) / 1_000);
  };
  await gateway.call('POST', '/api/v2/workflows', { flow_id: id, mode: 'sync' }, headers);
  expect(seconds()).toBe(7);
  await gateway.call('POST', '/api/v1/responses', { model, input: 'x' }, { 'x-deadline-seconds': '8' });
  expect(seconds()).toBe(8);
});

test.each(['0', '-1', '1.5', 'soon', '', '99999999'])('%j is no deadline', async (text) => {
  const refused = await gateway.call('POST', '/api/v1/run/free', {}, { 'x-deadline-seconds': text });
  expect([refused.status, refused.headers.get('x-error-code')]).toEqual([422, 'invalid_request']);
});
