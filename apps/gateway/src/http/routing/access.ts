import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FlowReference, KeyBounds, Principal, Scope } from '@millrace/runs';
import type { EndUser } from '../../end-users/end-user-sessions';

/** Selects the errors of refused callers: of run endpoints, of management endpoints, of webhook events, or of agents. */
export type ErrorWording = 'run' | 'management' | 'events' | 'agents';

/** What a route requires of its caller. */
export interface Access {
  readonly wording: ErrorWording;
  readonly scope: Scope;
  /** The text for a key without the scope; `Permission denied` unless given. */
  readonly denied?: string;
  /** Set where `Authorization: Bearer sk-…` can contain the key, as clients of OpenAI's interface send it. */
  readonly takesBearer?: true;
  /** Set where a bearer token is refused, as on every route with the wording of management. */
  readonly refusesBearer?: true;
}

/** Identifies the caller of a route. Throws an HttpError for a caller without access. */
export interface CallerAuthentication {
  authenticate(request: IncomingMessage, access: Access): Principal | Promise<Principal>;
  /**
   * Counts the request for the limits of the caller and the flow, and as a run until it is answered where `waits` returns true;
   * rejects with rate_limited and too_many_callers. Undefined where none applies.
   */
  count(
    principal: Principal,
    flow: FlowReference | null,
    answer: {
      readonly response: ServerResponse;
      readonly endUser: EndUser;
      /** Of the body, as it was sent. */
      readonly bodyBytes: number;
      readonly waits: () => boolean;
    },
  ): Promise<void> | undefined;
}

/** Reads the end users of requests whose keys act for them. */
export interface EndUserAuthentication {
  /** Throws or rejects with an HttpError for a request without an end user. */
  of(
    request: IncomingMessage,
    principal: Principal,
    by: NonNullable<KeyBounds['endUsers']>,
  ): string | Promise<string>;
}

/** Access for keys that run flows. */
export const forRuns = { wording: 'run', scope: 'run' } as const;
/** Access for keys that run flows on OpenAI-compatible routes, whose clients send the key as a bearer token. */
export const forOpenAiClients = { ...forRuns, takesBearer: true } as const;
/** Access for agents of other systems. */
export const forAgents = { wording: 'agents', scope: 'run' } as const;
/** Access for keys that run flows over the Model Context Protocol. */
export const forMcp = { ...forRuns, refusesBearer: true } as const;
/** Read access for keys that run flows, with the error texts of the management endpoints. */
export const forReading = { wording: 'management', scope: 'run' } as const;
export const forManagement = { wording: 'management', scope: 'manage' } as const;
export const forAdmins = { wording: 'management', scope: 'admin' } as const;
