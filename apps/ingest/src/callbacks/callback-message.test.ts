import { createHmac } from 'node:crypto';
import type { DueCallback } from '@millrace/runs';
import { callbackBody, callbackHeaders, reportTime } from './callback-message';

const run = {
  id: 'run',
  flowId: 'flow',
  flowVersion: 3,
  sessionId: 'session',
  status: 'failed',
  attempt: 2,
  replayOf: null,
  acceptedAt: new Date('2026-01-02T03:04:05Z'),
  finishedAt: new Date('2026-01-02T03:04:06Z'),
  isResultTooLarge: false,
  failureText: '{"code":"component_failed"}',
  usageText: null,
  resultText: '{"n":1.0}',
};
const due = (changes: object) =>
  ({ kind: 'failed', run, waiting: null, budget: null, alert: null, ...changes }) as unknown as DueCallback;
const request = {
  runId: 'run',
  userId: 'user',
  request_id: 'ask',
  kind: 'node_input',
  prompt: 'Which?',
  options: [],
  allowed_decisions: ['yes'],
  timeout_seconds: 5,
  fallback_action: null,
  pausedAt: new Date('2026-01-02T04:00:00Z'),
  dueAt: new Date('2026-01-02T05:00:00Z'),
};
const links = { form: '/decide/a', actions: {}, expires_at: '2026-01-02T05:00:00.000Z' };

test('the report of an ended run has its stored texts as they are', () => {
  const head =
    '{"type":"run.failed","timestamp":"2026-01-02T03:04:06.000Z","data":{"run_id":"run","flow_id":"flow",' +
    '"flow_version":3,"session_id":"session","status":"failed","attempts":2,"replay_of":null,' +
    '"accepted_at":"2026-01-02T03:04:05.000Z","finished_at":"2026-01-02T03:04:06.000Z","result_omitted":false,';
  expect(callbackBody(due({}))).toBe(
    `${head}"error":{"code":"component_failed"},"usage":null,"result":{"n":1.0}}}`,
  );
  const texts = { failureText: null, usageText: '{"calls":1}', resultText: null };
  expect(callbackBody(due({ run: { ...run, ...texts } }))).toBe(
    `${head}"error":null,"usage":{"calls":1},"result":null}}`,
  );
});

test('the report of a run that waits has its request and its links', () => {
  const waiting = due({ kind: 'waiting', run: { ...run, finishedAt: null }, waiting: { request, links } });
  expect(JSON.parse(callbackBody(waiting))).toEqual({
    type: 'run.waiting',
    timestamp: '2026-01-02T04:00:00.000Z',
    data: {
      run_id: 'run',
      flow_id: 'flow',
      flow_version: 3,
      session_id: 'session',
      status: 'suspended',
      attempts: 2,
      replay_of: null,
      accepted_at: '2026-01-02T03:04:05.000Z',
      finished_at: null,
      result_omitted: false,
      request: {
        request_id: 'ask',
        kind: 'node_input',
        prompt: 'Which?',
        options: [],
        allowed_decisions: ['yes'],
        action_requests: [],
        paused_at: '2026-01-02T04:00:00.000Z',
        due_at: '2026-01-02T05:00:00.000Z',
      },
      links,
      error: { code: 'component_failed' },
      usage: null,
      result: { n: 1 },
    },
  });
  const open = due({
    waiting: { request: { ...request, dueAt: null, action_requests: [{ name: 'a' }] }, links },
  });
  expect(JSON.parse(callbackBody(open))).toMatchObject({
    data: { request: { due_at: null, action_requests: [{ name: 'a' }] } },
  });
});

test('the reports of a budget and of an alert have what is stored of them', () => {
  const passed_at = '2026-01-02T03:00:00.000Z';
  const budget = { scope: 'user', id: 'u', dollars: 1, run_id: 'run' };
  expect(JSON.parse(callbackBody(due({ kind: 'budget', budget: { ...budget, passed_at } })))).toEqual({
    type: 'run.budget',
    timestamp: passed_at,
    data: budget,
  });
  const alert = { alert_id: 'a', state: 'began', began_at: '2026-01-02T03:00:00.000Z', ended_at: null };
  expect(JSON.parse(callbackBody(due({ kind: 'alert', alert })))).toEqual({
    type: 'flow.alert',
    timestamp: alert.began_at,
    data: alert,
  });
  expect(reportTime(due({ alert: { ...alert, ended_at: passed_at } }))).toBe(passed_at);
  expect(reportTime(due({ budget: { ...budget, passed_at } }))).toBe(passed_at);
  expect(reportTime(due({ run: { ...run, finishedAt: null } }))).toBeNull();
});

test('an attempt is signed with each secret that is one', () => {
  const keys = [Buffer.from('first key'), Buffer.from('second')];
  const secrets = [`whsec_${keys[0]?.toString('base64')}`, '', keys[1]?.toString('base64') ?? ''];
  const signed = keys.map((key) => createHmac('sha256', key).update('id.1767323045.{}').digest('base64'));
  expect(callbackHeaders('id', '{}', secrets, 1_767_323_045_999)).toEqual({
    'content-type': 'application/json',
    'user-agent': 'millrace',
    'webhook-id': 'id',
    'webhook-timestamp': '1767323045',
    'webhook-signature': signed.map((text) => `v1,${text}`).join(' '),
  });
});
