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
  /** Called before the pool connects; undefined when the server is always at the same address. */
  readonly locate?: (() => Promise<void>) | undefined;
  /** Calls the listener whenever connections have to go to another server; those to the previous one must end. */
  onMove?(listener: () => void): void;
  /** Called once, after the last connection is closed. */
  close?(): void;
  /** Called once per connection, before its first statement. Rejects when the connection is unusable. */
  inspect(client: ClientBase): Promise<ConnectionRules>;
  /** Whether connecting failed for a reason that the next try avoids: a parameter, or another host. */
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
