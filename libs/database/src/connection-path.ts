import type { ClientBase } from 'pg';

/** Rules for sending statements over one connection. */
export interface ConnectionRules {
  /** Whether named statements can be prepared; can become false permanently. */
  readonly preparesStatements: boolean;
  /** Limits that the connection does not set, such as `statement_timeout = 30000`; set in each transaction. */
  readonly transactionSettings: readonly string[];
  /** Time after which the service cancels a statement outside of transactions; undefined where the server does so. */
  readonly cancelAfterMilliseconds: number | undefined;
}

/** The path between a pool and its server. */
export interface ConnectionPath {
  /** Called once per connection, before its first statement. Rejects when the connection is unusable. */
  inspect(client: ClientBase): Promise<ConnectionRules>;
  /** Whether connecting failed because of a parameter that the next try omits. */
  shouldReconnect(error: unknown): boolean;
  /** Called with each (translated) error of a statement. */
  observe(error: unknown): void;
}

/** Rules for a direct connection to a server. */
export const DIRECT: ConnectionRules = {
  preparesStatements: true,
  transactionSettings: [],
  cancelAfterMilliseconds: undefined,
};
