import { randomUUID } from 'node:crypto';
import type { Database } from '@millrace/database';
import type { RunRequest } from '@millrace/flow';
import { uuidv7 } from '@millrace/service';
import { CallbackStore } from '../callbacks/callback-store';
import { Encryption } from '../encryption/encryption';
import { RequestSeal } from '../encryption/request-seal';
import { DecisionLinks } from '../human-requests/decision-links';
import type { FlowRecord } from '../flows/flow-record';
import { FlowStore } from '../flows/flow-store';
import type { MessageRow } from '../messages/message-row';
import type { NewRun } from '../run-record/run-record';
import type { InteractiveRun, RunCompletion } from '../runs/attempts/run-completion';
import type { UserRecord } from '../users/user-record';
import { UserStore } from '../users/user-store';

export const REQUEST: RunRequest = {
  form: 'simple',
  inputs: [{ components: [], inputValue: 'hello', type: 'chat' }],
  outputs: { by: 'type', type: 'chat' },
  tweaks: {},
  stream: false,
  sessionId: 'session',
  globalVariables: {},
};

/** Opens the store of callbacks with a fixed key. */
export function openCallbacks(database: Database): CallbackStore {
  const encryption = Encryption.from(['07'.repeat(32)]);
  return new CallbackStore({
    database,
    seal: new RequestSeal({ encryption }),
    decisionLinks: new DecisionLinks({ encryption, publicUrl: 'https://flows.test/' }),
  });
}

/** Creates a unique user. */
export function makeUser(database: Database): Promise<UserRecord> {
  return new UserStore({ database }).create({ username: `user-${randomUUID()}`, isAdmin: false });
}

/** Creates a flow of a unique user. */
export async function makeFlow(database: Database): Promise<FlowRecord> {
  const user = await makeUser(database);
  return new FlowStore({ database }).create(user.id, { name: 'flow', document: { nodes: [], edges: [] } });
}

export function newRun(flow: FlowRecord, changes: Partial<NewRun> = {}): NewRun {
  return {
    id: uuidv7(),
    flowId: flow.id,
    flowVersion: flow.version,
    userId: flow.userId,
    lane: 'background',
    pool: 'default',
    origin: 'webhook',
    request: REQUEST,
    sessionId: 'session',
    limitMilliseconds: 600_000,
    maximumAttempts: 3,
    ...changes,
  };
}

export function interactiveRun(flow: FlowRecord, changes: Partial<InteractiveRun> = {}): InteractiveRun {
  return {
    ...newRun(flow),
    lane: 'interactive',
    origin: 'run',
    attempt: 1,
    worker: 'worker',
    status: 'succeeded',
    result: '{"session_id": "session", "outputs": []}',
    failure: null,
    acceptedAt: new Date(),
    startedAt: new Date(),
    finishedAt: new Date(),
    messages: [],
    ...changes,
  };
}

export function completion(
  runId: string,
  attempt: number,
  changes: Partial<RunCompletion> = {},
): RunCompletion {
  return { runId, attempt, status: 'succeeded', result: '{}', failure: null, messages: [], ...changes };
}

export function messageRow(flow: FlowRecord, changes: Partial<MessageRow> = {}): MessageRow {
  return {
    id: randomUUID(),
    flowId: flow.id,
    userId: flow.userId,
    sessionId: 'session',
    contextId: '',
    runId: null,
    timestamp: new Date(),
    sender: 'User',
    senderName: 'User',
    text: 'hello',
    files: [],
    error: false,
    edit: false,
    properties: { icon: null },
    category: 'message',
    contentBlocks: [],
    duration: null,
    sessionMetadata: null,
    ...changes,
  };
}
