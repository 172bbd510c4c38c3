import type { Job } from '@millrace/messages';
import type { RunRequest } from '@millrace/flow';
import type { FlowRecord, NewRun, RunStore } from '@millrace/runs';
import { uuidv7 } from '@millrace/service';

/** Creates requests and jobs as a gateway does. */
export function testJobs({ runs, userId }: { readonly runs: RunStore; readonly userId: string }) {
  const request = (inputValue: string, changes: Partial<RunRequest> = {}): RunRequest => ({
    form: 'simple',
    inputs: [{ components: [], inputValue, type: 'chat' }],
    outputs: { by: 'type', type: 'chat' },
    tweaks: {},
    stream: false,
    sessionId: 'session',
    globalVariables: {},
    ...changes,
  });

  const job = (flow: FlowRecord, changes: Partial<Job> = {}): Job => ({
    schemaVersion: 1,
    runId: uuidv7(),
    lane: 'interactive',
    pool: 'default',
    flowId: flow.id,
    flowVersion: flow.version,
    userId,
    durable: false,
    deadline: Date.now() + 120_000,
    acceptedAt: Date.now(),
    request: request('hello'),
    claimCheck: null,
    ...changes,
  });

  /** Stores a run and returns its job. */
  async function accept(flow: FlowRecord, changes: Partial<NewRun> = {}): Promise<Job> {
    const run: NewRun = {
      id: uuidv7(),
      flowId: flow.id,
      flowVersion: flow.version,
      userId,
      lane: 'background',
      pool: 'default',
      origin: 'webhook',
      request: request('durable', { sessionId: 'durable-session' }),
      sessionId: 'durable-session',
      limitMilliseconds: 10_000,
      maximumAttempts: 3,
      ...changes,
    };
    await runs.accept([run]);
    return job(flow, { runId: run.id, lane: 'background', durable: true, request: null, deadline: null });
  }

  return { request, job, accept };
}
