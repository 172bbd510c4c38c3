import { actorOf } from '../../authentication/actor-of';
import type { KeyedCall } from '../../http/routing/route';
import type { FlowAuthor } from './flow-service';

/** Returns the author of a flow that a request creates or changes. */
export function authorOf(call: KeyedCall): FlowAuthor {
  return { userId: call.principal.userId, actor: actorOf(call) };
}
