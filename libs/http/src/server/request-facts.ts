import type { IncomingMessage } from 'node:http';

/** What the handlers of a request find out about it, for its log line and its metrics. */
export interface RequestFacts {
  /** Pattern of the route, with names in place of values; null when no route matches. */
  route: string | null;
  /** The caller, once the key has been accepted. */
  userId: string | null;
  /** The id of the caller's key. */
  keyId: string | null;
  flowId: string | null;
  /** The run that the request started or asked for. */
  runId: string | null;
}

const FACTS = Symbol('facts');

/** Returns the facts of a request, to be read and completed. */
export function factsOf(request: IncomingMessage & { [FACTS]?: RequestFacts }): RequestFacts {
  return (request[FACTS] ??= { route: null, userId: null, keyId: null, flowId: null, runId: null });
}
