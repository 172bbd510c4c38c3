import type { InteractiveRun } from '@millrace/runs';
import { uuidv7 } from '@millrace/service';

const now = new Date();
/** An interactive run that succeeded. */
export const interactiveRun: InteractiveRun = {
  id: uuidv7(),
  flowId: uuidv7(),
  flowVersion: 1,
  userId: uuidv7(),
  lane: 'interactive',
  pool: 'default',
  origin: 'run',
  request: {
    form: 'simple',
    inputs: [],
    outputs: { by: 'type', type: 'chat' },
    tweaks: {},
    stream: false,
    sessionId: 'session',
    globalVariables: {},
  },
  sessionId: 'session',
  limitMilliseconds: 60_000,
  maximumAttempts: 1,
  attempt: 1,
  worker: 'worker',
  status: 'succeeded',
  result: '{}',
  failure: null,
  acceptedAt: now,
  startedAt: now,
  finishedAt: now,
  messages: [],
};
