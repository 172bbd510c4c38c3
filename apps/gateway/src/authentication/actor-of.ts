import { clientAddresses } from '@millrace/http';
import { actingUser } from '@millrace/runs';
import type { AuditActor } from '@millrace/runs';
import { requestIdOf } from '../http/routing/route';
import type { KeyedCall } from '../http/routing/route';

/** Returns the actor of a request for the audit log: its user (a member, not the owner of the project), key, request id and addresses. */
export function actorOf({
  request,
  response,
  principal,
}: Pick<KeyedCall, 'request' | 'response' | 'principal'>): AuditActor {
  return {
    kind: 'key',
    userId: actingUser(principal),
    keyId: principal.keyId,
    requestId: requestIdOf(response),
    ...clientAddresses(request),
  };
}
