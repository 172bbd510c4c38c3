import { randomUUID } from 'node:crypto';
import { namedUuid } from './named-uuid';

/** A user's conversations with one flow as an agent. Their ids are a part of the sessions of runs, as in Langflow. */
export class AgentSessions {
  readonly #prefix: string;

  constructor(userId: string, flowId: string) {
    this.#prefix = `${namedUuid(`${userId}_${flowId}`)}:`;
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
