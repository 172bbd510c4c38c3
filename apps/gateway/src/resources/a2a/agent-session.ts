import { randomUUID } from 'node:crypto';
import type { AgentFlow } from '@millrace/runs';
import { sessionPrefix } from '../../end-users/end-user-sessions';
import type { EndUser } from '../../end-users/end-user-sessions';
import { namedUuid } from './named-uuid';

/** A flow that is called as an agent. */
export interface CalledAgent extends AgentFlow {
  readonly endUser: EndUser;
}

/** A user's conversations with one flow as an agent, or those of an end user. Their ids are a part of the sessions of runs, as in Langflow. */
export class AgentSessions {
  readonly #prefix: string;

  constructor({ userId, id, endUser }: CalledAgent) {
    const prefix = `${namedUuid(`${userId}_${id}`)}:`;
    this.#prefix = endUser ? sessionPrefix(endUser) + prefix : prefix;
  }

  /** Returns the session of a conversation; with null, of a new one. */
  sessionOf(contextId: string | null): string {
    return this.#prefix + (contextId ?? randomUUID());
  }

  /** Returns the id of the conversation of a session; null for a session that belongs to none. */
  contextOf(sessionId: string): string | null {
    return sessionId.startsWith(this.#prefix) ? sessionId.slice(this.#prefix.length) : null;
  }
}
