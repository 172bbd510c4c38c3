import type { Queryable, QueryResult, Statement, Transactional } from '@millrace/database';
import type { AuditEvent } from './audit-entry';

/**
 * The transaction of an audited change. Stores join it by their method `within`: their statements are part of it, and
 * their own transactions as well. What they change is committed with the noted events, or not at all.
 */
export class AuditedChange implements Transactional {
  readonly #connection: Queryable;
  readonly #events: AuditEvent[] = [];
  readonly #afterCommit: (() => void)[] = [];

  constructor(connection: Queryable) {
    this.#connection = connection;
  }

  /** The noted events, in order. */
  get events(): readonly AuditEvent[] {
    return this.#events;
  }

  /** Adds an event to the entries of this change. */
  note(event: AuditEvent): void {
    this.#events.push(event);
  }

  /** Calls this after the commit, and not at all when the change is rolled back. */
  afterCommit(callback: () => void): void {
    this.#afterCommit.push(callback);
  }

  committed(): void {
    for (const callback of this.#afterCommit) callback();
  }

  query<Row = Record<string, unknown>>(statement: Statement): Promise<QueryResult<Row>> {
    return this.#connection.query<Row>(statement);
  }

  transaction<T>(work: (connection: Queryable) => Promise<T>): Promise<T> {
    return work(this.#connection);
  }
}
