import { flag, orNull, text, uuid, namedObject } from '@millrace/messages';
import { HttpError } from '@millrace/http';
import type { AuditLog, FlowStore } from '@millrace/runs';
import { actorOf } from '../../authentication/actor-of';
import { sendJson } from '../../http/answers/send-json';
import { forManagement } from '../../http/routing/access';
import { json, jsonBody } from '../../http/routing/operation';
import type { Operation } from '../../http/routing/operation';
import { pathParameter } from '../../http/routing/route';
import type { KeyedCall, Route } from '../../http/routing/route';
import { closedBody } from '../../http/validation/body-schema';
import type { ValueOf } from '../../http/validation/body-schema';
import { parseUuidStrictly } from '../../http/validation/uuid-text';
import { createValidator } from '../../http/validation/validator';
import type { FlowService } from '../../flow-changes/flow-service';

const bodySchema = closedBody('FlowPause', {
  /** Callers get it with the refusal of their run. */
  reason: { type: ['string', 'null'], minLength: 1, maxLength: 500 },
});
const check = createValidator(bodySchema);
const answers = {
  200: json(
    'The state of the flow',
    namedObject('FlowPauseState', { id: uuid, paused: flag, reason: orNull(text) }),
  ),
};
const operations = {
  pause: {
    summary: 'Pause a flow: callers get 503 with the reason, background runs wait',
    body: jsonBody(bodySchema),
    bodyOptional: true,
    answers,
    errors: ['flow_unknown'],
  },
  resume: {
    summary: 'End the pause of a flow; the background runs that wait start',
    answers,
    errors: ['flow_unknown'],
  },
} as const satisfies Record<string, Operation>;
const NO_REASON = 'No reason was given.';

export interface FlowPauseRoutesOptions {
  readonly flows: FlowStore;
  readonly flowService: FlowService;
  readonly audit: AuditLog;
}

/** Routes that pause a flow and end its pause. Both can be repeated. */
export function flowPauseRoutes({ flows, flowService, audit }: FlowPauseRoutesOptions): readonly Route[] {
  const change = async (call: KeyedCall, reason: string | null) => {
    const { request, response, principal } = call;
    const id = parseUuidStrictly(pathParameter(request, 'flow_id'), ['path', 'flow_id']);
    const name = await audit.change(actorOf(call), async (transaction) => {
      const found = await flows.within(transaction).pause(principal.userId, id, reason);
      if (found === null) return null;
      const action = reason === null ? 'flow.resumed' : 'flow.paused';
      transaction.note({
        action,
        objectId: id,
        objectName: found,
        detail: reason === null ? {} : { reason },
      });
      return found;
    });
    if (name === null) throw new HttpError('flow_unknown', 'Flow not found');
    flowService.announce(id);
    sendJson(response, 200, { id, paused: reason !== null, reason });
  };
  const pause = (call: KeyedCall) => {
    const { body = {} } = call;
    check(body);
    return change(call, (body as ValueOf<typeof bodySchema>).reason ?? NO_REASON);
  };
  const base = { method: 'POST', access: forManagement } as const;
  return [
    {
      ...base,
      path: '/api/v1/flows/:flow_id/pause',
      body: 'json',
      operation: operations.pause,
      handle: pause,
    },
    {
      ...base,
      path: '/api/v1/flows/:flow_id/resume',
      operation: operations.resume,
      handle: (call: KeyedCall) => change(call, null),
    },
  ];
}
