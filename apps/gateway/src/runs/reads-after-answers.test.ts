import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { gatewayForTests } from '../testing/test-gateway';

const echo = JSON.parse(readFileSync(join(__dirname, '../../../../examples/echo.json'), 'utf8')) as object;
const MESSAGES = '/api/v1/monitor/messages';

let runs = 0;
const gateway = gatewayForTests();
beforeAll(async () => {
  await gateway.createFlow({ ...echo, endpoint_name: 'late' });
}, 60_000);

/** Runs the flow and then `work`, which begins before the record of the run is stored. */
async function beforeRecord<Result>(session: string, work: (runId: string) => Promise<Result>) {
  const record = gateway.runs.record.bind(gateway.runs);
  const { promise: stored, resolve: store } = Promise.withResolvers<undefined>();
  gateway.runs.record = async (...given) => stored.then(() => record(...given));
  try {
    const { headers } = await gateway.call('POST', '/api/v1/run/late', { session_id: session });
    const working = work(headers.get('x-run-id') ?? '');
    // For an answer that does not wait.
    await pause(50);
    store(undefined);
    return await working;
  } finally {
    store(undefined);
    gateway.runs.record = record;
  }
}

test.each([
  ['GET', '/api/v1/runs', null, '"id":"RUN"'],
  ['GET', '/api/v1/runs/RUN', null, '"status":"succeeded"'],
  ['GET', '/api/v1/runs/RUN/request', null, '"session_id":"SESSION"'],
  ['GET', '/api/v1/runs/RUN/attempts', null, '"outcome":"succeeded"'],
  ['POST', '/api/v1/runs/RUN/replay', { input_value: 'other' }, '"replayed_as":"'],
  ['GET', '/api/v2/workflows?job_id=RUN', null, '"status":"completed"'],
  ['GET', MESSAGES, null, '"session_id":"SESSION"'],
  ['GET', `${MESSAGES}/sessions`, null, '"SESSION"'],
  ['PATCH', `${MESSAGES}/session/SESSION?new_session_id=renamed`, null, '"session_id":"renamed"'],
  ['DELETE', `${MESSAGES}/sessions`, ['SESSION'], 'for 1 session'],
  ['POST', '/api/v1/erasures', { session_id: 'SESSION' }, '"messages":2'],
])('%s %s waits for the record of a run that is answered', async (method, path, body, expected) => {
  const session = `late-${(runs += 1)}`;
  const [text, wanted] = await beforeRecord(session, async (runId) => {
    const fill = (template: string) => template.replace('RUN', runId).replace('SESSION', session);
    const sent = body === null ? undefined : (JSON.parse(fill(JSON.stringify(body))) as object);
    return [(await gateway.call(method, fill(path), sent)).text, fill(expected)] as const;
  });
  expect(text).toContain(wanted);
});

test('a session is deleted with messages that are stored later', async () => {
  await beforeRecord('deleted', () => gateway.call('DELETE', `${MESSAGES}/session/deleted`));
  expect((await gateway.call('GET', `${MESSAGES}?session_id=deleted`)).json).toEqual([]);
});
