import type { Database } from '@millrace/database';
import { erasureBodySchema } from './erasure-body';
import { erasureSchema } from './erasure-schema';
import type { ErasureBody } from './erasure-body';
import { HttpError } from '@millrace/http';
import { ErasureStore } from '@millrace/runs';
import type { AuditLog, MessageStore } from '@millrace/runs';
import { actorOf } from '../../authentication/actor-of';
import { sessionPrefix } from '../../end-users/end-user-sessions';
import { requireBody } from '../../http/validation/require-body';
import { forManagement } from '../../http/routing/access';
import { jsonRoute } from '../../http/routing/route';
import type { KeyedCall, Route } from '../../http/routing/route';
import { sendJson } from '../../http/answers/send-json';
import { createValidator } from '../../http/validation/validator';
import { json, jsonBody } from '../../http/routing/operation';
import type { Operation } from '../../http/routing/operation';
import type { ReadYourWrites } from '../../runs/read-your-writes';

export interface ErasureRoutesOptions {
  readonly database: Database;
  readonly messages: MessageStore;
  readonly audit: AuditLog;
  readonly readYourWrites: ReadYourWrites;
}

/** Bounds of one request, which the caller repeats until nothing is left. */
const SESSIONS_AT_ONCE = 50;
const RUNS_AT_ONCE = 5_000;

const check = createValidator(erasureBodySchema);
const operation = {
  summary: 'Erase a session, or all sessions of an end user: messages and runs. Repeat until `complete`',
  body: jsonBody(erasureBodySchema),
  answers: { 200: json('What this request deleted', erasureSchema) },
  errors: ['invalid_value'],
} as const satisfies Operation;

/** The route that erases what is stored of a session or an end user. */
export function erasureRoutes(options: ErasureRoutesOptions): readonly Route[] {
  const { database, messages, audit, readYourWrites } = options;
  const erasure = new ErasureStore({ database, messages });
  const erase = async (call: KeyedCall) => {
    const { body, response, principal } = call;
    check(requireBody(body));
    const { session_id: sessionId, end_user_id: endUserId } = body as ErasureBody;
    if (!sessionId === !endUserId)
      throw new HttpError('invalid_value', 'Name either session_id or end_user_id.');
    await readYourWrites.settled(principal.userId);
    const sessions = sessionId
      ? [sessionId]
      : await erasure.sessionsWithPrefix(principal.userId, sessionPrefix(endUserId ?? ''), SESSIONS_AT_ONCE);
    const sum = { messages: 0, runs: 0, runs_in_progress: 0 };
    let hasMore = !sessionId && sessions.length === SESSIONS_AT_ONCE;
    for (const session of sessions) {
      const erased = await erasure.eraseSession(principal.userId, session, RUNS_AT_ONCE - sum.runs);
      sum.messages += erased.messages;
      sum.runs += erased.runs;
      sum.runs_in_progress += erased.runsInProgress;
      hasMore ||= erased.hasMore;
    }
    const { messages: messageCount, runs } = sum;
    const by = endUserId ? 'end_user' : 'session';
    await audit.change(actorOf(call), async (change) => {
      const within = erasure.within(change);
      const spend = endUserId ? await within.eraseSpend(principal.userId, endUserId) : 0;
      if (messageCount + runs + spend === 0) return;
      change.note({ action: 'session.erased', detail: { by, messages: messageCount, runs, spend } });
    });
    sendJson(response, 200, {
      sessions: sessions.length,
      ...sum,
      complete: !hasMore && sum.runs_in_progress === 0,
    });
  };
  return [jsonRoute('POST /api/v1/erasures', forManagement, operation, erase)];
}
