import { callbackListSchema, callbackLogSchema, callbackReplaySchema } from './callback-schemas';
import { callbackReplayBodySchema } from './callback-replay-body';
import type { CallbackReplayBody } from './callback-replay-body';
import { HttpError } from '@millrace/http';
import { callbackStates } from '@millrace/runs';
import type { AuditLog, CallbackDelivery, CallbackStore } from '@millrace/runs';
import { actorOf } from '../../authentication/actor-of';
import { collectValidationErrors, createValidator } from '../../http/validation/validator';
import { pythonIsoFormat } from '../../http/validation/date-time';
import { uuidParameter, wordParameter } from '../../http/validation/query';
import { requireBody } from '../../http/validation/require-body';
import { forManagement, forReading } from '../../http/routing/access';
import { jsonRoute, keyedRoute, pathParameter } from '../../http/routing/route';
import type { KeyedCall, Route } from '../../http/routing/route';
import { sendJson } from '../../http/answers/send-json';
import { normalizeUuid, parseUuidStrictly } from '../../http/validation/uuid-text';
import { json, jsonBody, nothing, queryParameter } from '../../http/routing/operation';
import type { Operation } from '../../http/routing/operation';
import { pageOf } from '../triggers/trigger-routes';

const checkReplay = createValidator(callbackReplayBodySchema);
const BASE = '/api/v1/callbacks';

const operations = {
  list: {
    summary: 'List callbacks, newest first',
    query: {
      flow_id: queryParameter('uuid', 'Only callbacks of runs of this flow'),
      run_id: queryParameter('uuid', 'Only callbacks of this run'),
      state: { description: 'Only callbacks in this state', schema: { enum: callbackStates } },
      limit: queryParameter('integer', 'Maximum number of entries, up to 200', { minimum: 1 }),
      offset: queryParameter('integer', 'How many entries to pass over', { minimum: 0 }),
    },
    answers: { 200: json('The callbacks', callbackListSchema) },
  },
  read: {
    summary: 'Read a callback with the log of its last 100 attempts',
    answers: { 200: json('The callback', callbackLogSchema) },
    errors: ['not_found'],
  },
  replay: {
    summary: 'Send callbacks again that were delivered or given up, under their ids',
    body: jsonBody(callbackReplayBodySchema),
    answers: { 202: json('The callbacks that are sent again', callbackReplaySchema) },
  },
  replayOne: {
    summary: 'Send a callback again that was delivered or given up, under its id',
    answers: { 202: json('The callback, or none when it is pending', callbackReplaySchema) },
    errors: ['not_found'],
  },
  remove: {
    summary: 'Delete a callback with its log; a pending one is not sent any more',
    answers: { 204: nothing('The callback was deleted') },
    errors: ['not_found'],
  },
} as const satisfies Record<string, Operation>;

export interface CallbackRoutesOptions {
  readonly callbacks: CallbackStore;
  readonly audit: AuditLog;
}

/** Routes for the reports of the ends of runs. */
export function callbackRoutes({ callbacks, audit }: CallbackRoutesOptions): readonly Route[] {
  const list = async (call: KeyedCall) => {
    const { query, principal } = call;
    const [flowId, runId, state, page] = collectValidationErrors(
      () => uuidParameter(query, 'flow_id'),
      () => uuidParameter(query, 'run_id'),
      () => wordParameter(query, 'state', { words: ['', ...callbackStates], absent: '' }),
      () => pageOf(call),
    );
    const found = await callbacks.list(principal.userId, { flowId, runId, state: state || undefined }, page);
    sendJson(call.response, 200, found.map(callbackView));
  };
  const read = async (call: KeyedCall) => {
    const found = await callbacks.find(call.principal.userId, callbackIdOf(call));
    if (!found) throw callbackNotFound();
    const log = await callbacks.attempts(found.id);
    const entries = log.map(({ at, ...entry }) => ({ ...entry, at: pythonIsoFormat(at) }));
    sendJson(call.response, 200, { ...callbackView(found), log: entries });
  };
  const replayAll = (call: KeyedCall, ids: readonly string[]) =>
    audit.change(actorOf(call), async (change) => {
      const replayed = await callbacks.within(change).replay(call.principal.userId, ids);
      for (const objectId of replayed) change.note({ action: 'callback.replayed', objectId });
      return replayed;
    });
  const replay = async (call: KeyedCall) => {
    checkReplay(requireBody(call.body));
    const ids = (call.body as CallbackReplayBody).callbacks.map((id) => normalizeUuid(id) ?? id);
    sendJson(call.response, 202, { replayed: await replayAll(call, ids) });
  };
  const replayOne = async (call: KeyedCall) => {
    const id = callbackIdOf(call);
    const replayed = await replayAll(call, [id]);
    if (replayed.length === 0 && !(await callbacks.find(call.principal.userId, id))) throw callbackNotFound();
    sendJson(call.response, 202, { replayed });
  };
  const remove = async (call: KeyedCall) => {
    const id = callbackIdOf(call);
    const isDeleted = await audit.change(actorOf(call), async (change) => {
      const isDeleted = await callbacks.within(change).delete(call.principal.userId, id);
      if (isDeleted) change.note({ action: 'callback.deleted', objectId: id });
      return isDeleted;
    });
    if (!isDeleted) throw callbackNotFound();
    call.response.writeHead(204).end();
  };
  return [
    keyedRoute(`GET ${BASE}`, forReading, operations.list, list),
    jsonRoute(`POST ${BASE}/replay`, forManagement, operations.replay, replay),
    keyedRoute(`GET ${BASE}/:callback_id`, forReading, operations.read, read),
    keyedRoute(`POST ${BASE}/:callback_id/replay`, forManagement, operations.replayOne, replayOne),
    keyedRoute(`DELETE ${BASE}/:callback_id`, forManagement, operations.remove, remove),
  ];
}

function callbackView(callback: CallbackDelivery): Record<string, unknown> {
  const { dueAt, deliveredAt } = callback;
  return {
    id: callback.id,
    run_id: callback.runId,
    flow_id: callback.flowId,
    kind: callback.kind,
    url: callback.url,
    amqp: amqpView(callback),
    state: callback.state,
    attempts: callback.attempts,
    next_attempt_at: dueAt && pythonIsoFormat(dueAt),
    created_at: pythonIsoFormat(callback.createdAt),
    delivered_at: deliveredAt && pythonIsoFormat(deliveredAt),
    last_status: callback.lastStatus,
    last_error: callback.lastError,
  };
}

function amqpView({ amqp }: CallbackDelivery): Record<string, unknown> | null {
  if (amqp === null) return null;
  const { connection, exchange, routingKey, reply } = amqp;
  return { connection, exchange, routing_key: routingKey, is_reply: reply !== undefined };
}

function callbackNotFound(): HttpError {
  return new HttpError('not_found', 'Callback not found');
}

function callbackIdOf({ request }: KeyedCall): string {
  return parseUuidStrictly(pathParameter(request, 'callback_id'), ['path', 'callback_id']);
}
