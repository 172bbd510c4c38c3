import type { ClientBase } from 'pg';

/** How statements are sent over one connection. */
export interface ConnectionRules {
  /** Whether statements may be prepared under their names; may turn false for good. */
  readonly preparesStatements: boolean;
  /** Limits that the connection does not have of itself, as in `statement_timeout = 30000`; set in each transaction. */
  readonly transactionSettings: readonly string[];
  /** After so long a statement outside of transactions is cancelled by the service; undefined where the server does so. */
  readonly cancelAfterMilliseconds: number | undefined;
}

/** What stands between a pool and its server. */
export interface ConnectionPath {
  /** Asked once for each connection, before its first statement. Rejects when the connection is of no use. */
  inspect(client: ClientBase): Promise<ConnectionRules>;
  /** Whether dialling failed for something that the next try leaves out. */
  mayRedial(error: unknown): boolean;
  /** Told of each (translated) error of a statement. */
  observe(error: unknown): void;
}

/** A server whose connections are what they were dialled as. */
export const DIRECT: ConnectionRules = {
  preparesStatements: true,
  transactionSettings: [],
  cancelAfterMilliseconds: undefined,
};
