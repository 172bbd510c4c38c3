import { runLogText } from '@millrace/runs';
import { uuidv7 } from '@millrace/service';
import { gatewayForTests } from '../../testing/test-gateway';

const gateway = gatewayForTests({
  environment: { MILLRACE_TRACE_URL_TEMPLATE: 'https://traces.example/trace/{trace_id}?by={trace_id}' },
});

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const FAILURE = { code: 'component_failed', message: 'no', vertex: null, problems: [] };

async function newRun(traceparent: string | null = null) {
  const flow = await gateway.flows.create(gateway.user.id, { name: `flow ${uuidv7()}`, document: {} });
  const id = uuidv7();
  await gateway.runs.accept([
    {
      id,
      flowId: flow.id,
      flowVersion: 1,
      userId: gateway.user.id,
      lane: 'background',
      pool: 'default',
      origin: 'webhook',
      sessionId: flow.id,
      limitMilliseconds: 60_000,
      maximumAttempts: 3,
      traceparent,
      request: {
        form: 'webhook',
        inputs: [],
        outputs: { by: 'type', type: 'chat' },
        tweaks: {},
        stream: false,
        sessionId: flow.id,
        globalVariables: {},
        webhookPayload: '{}',
      },
    },
  ]);
  return id;
}

test('a run that was tried again lists its attempts', async () => {
  const id = await newRun();
  const list = async () => (await gateway.call('GET', `/api/v1/runs/${id}/attempts`)).json;
  expect(await list()).toEqual({ run_id: id, attempts: [], log: [] });
  await gateway.runs.claim([{ runId: id, worker: 'one', redelivered: false }]);
  await gateway.runs.retry({ runId: id, attempt: 1, failure: FAILURE, pauseMilliseconds: 0 });
  await gateway.runs.claim([{ runId: id, worker: 'two', redelivered: false }]);
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);
  const first = {
    attempt: 1,
    worker: 'one',
    started_at: time,
    ended_at: time,
    outcome: 'failed',
    error: FAILURE,
  };
  const second = { attempt: 2, worker: 'two', started_at: time, ended_at: null, outcome: 'running' };
  const line = {
    at: '2026-01-02T03:04:05.000Z',
    level: 'warn' as const,
    attempt: 1,
    message: 'run attempt failed; another one follows',
    fields: { code: 'component_failed' },
  };
  await gateway.runs.appendLogs(new Map([[id, runLogText(line)]]));
  expect(await list()).toMatchObject({ run_id: id, attempts: [first, second], log: [line] });
});

test('an unknown run has no attempts', async () => {
  expect(await gateway.call('GET', `/api/v1/runs/${uuidv7()}/attempts`)).toMatchObject({ status: 404 });
});

test.each([
  ['sampled', `00-${TRACE}-b7ad6b7169203331-01`, `https://traces.example/trace/${TRACE}?by=${TRACE}`],
  ['not sampled', `00-${TRACE}-b7ad6b7169203331-00`, null],
  ['without a trace', null, null],
])('a run names the address of its trace (%s)', async (_, traceparent, expected) => {
  const id = await newRun(traceparent);
  expect((await gateway.call('GET', `/api/v1/runs/${id}`)).json).toMatchObject({ trace_url: expected });
});
