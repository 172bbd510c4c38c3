import type { AuditActor } from '@millrace/runs';
import { actorOf } from './actor-of';
import type { KeyedCall } from '../http/routing/route';

/** The user whose flow it is, and the actor for the audit log. */
export interface FlowAuthor {
  readonly userId: string;
  readonly actor: AuditActor;
}

/** Returns the author of a flow that a request creates or changes. */
export function authorOf(call: KeyedCall): FlowAuthor {
  return { userId: call.principal.userId, actor: actorOf(call) };
}
