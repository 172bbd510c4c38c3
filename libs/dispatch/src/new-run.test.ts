import type { RunRequest } from '@millrace/flow';
import type { FlowReference } from '@millrace/runs';
import { newRun } from './index';

const request: RunRequest = {
  form: 'simple',
  inputs: [],
  outputs: { by: 'type', type: 'chat' },
  tweaks: {},
  stream: false,
  sessionId: 'session',
  globalVariables: {},
};
const flow: FlowReference = {
  id: 'flow',
  userId: 'owner',
  version: 3,
  name: 'name',
  projectId: null,
  pauseReason: null,
  isEmpty: false,
  needsPython: false,
  pool: 'gpu',
  settings: { concurrency: 2, retry: { attempts: 2, backoffSeconds: 1 } },
};
const order = {
  id: 'run',
  flow,
  userId: 'owner',
  request,
  dedupeKey: null,
  requestId: null,
  limitMilliseconds: 1_000,
  maximumAttempts: 3,
};

test.each([
  ['simple', 'run'],
  ['advanced', 'advanced'],
  ['webhook', 'webhook'],
] as const)('a run of the form %s comes from the endpoint %s', (form, origin) => {
  expect(newRun({ ...order, lane: 'background', request: { ...request, form } })).toMatchObject({ origin });
});

test("only background runs have the flow's rule for retries", () => {
  expect(newRun({ ...order, lane: 'background' })).toMatchObject({
    flowId: 'flow',
    flowVersion: 3,
    pool: 'gpu',
    sessionId: 'session',
    isLimited: true,
    retry: flow.settings.retry,
  });
  expect(newRun({ ...order, lane: 'interactive' })).toMatchObject({ retry: null });
});

test('the deadline of the flow shortens that of a run, and never extends it', () => {
  const limitOf = (deadlineSeconds: number) =>
    newRun({
      ...order,
      flow: { ...flow, settings: { deadlineSeconds } },
      lane: 'background',
      limitMilliseconds: 5_000,
    }).limitMilliseconds;
  expect([limitOf(2), limitOf(60)]).toEqual([2_000, 5_000]);
});
