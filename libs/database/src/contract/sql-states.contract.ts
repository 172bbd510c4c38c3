import { DatabaseConflictError, DatabaseError, DatabaseUnavailableError } from '../database';
import type { Database } from '../database';
import { SQL_STATES } from '../sqlstate';
import type { SqlStateMeaning } from '../sqlstate';

/** Returns a statement that fails with this state; for a class, with its first state. */
export function raise(state: string): { readonly text: string } {
  return { text: `DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '${state.padEnd(5, '0')}'; END $$` };
}

/** Contract for the table of SQLSTATEs: the server raises each row. */
export function describeSqlStates(database: () => Database): void {
  const rows = SQL_STATES.map(({ state, meaning }) => [state, meaning] as const);

  describe('SQLSTATE', () => {
    test.each<readonly [string, SqlStateMeaning]>([...rows, ['XX000', 'bug'], ['42601', 'bug']])(
      '%s means: %s',
      async (state, meaning) => {
        const failure: unknown = await database()
          .query(raise(state))
          .catch((error: unknown) => error);
        expect(failure).toMatchObject({ sqlState: state.padEnd(5, '0') });
        expect(meaningOf(failure)).toBe(meaning);
        const inside: unknown = await database()
          .transaction((connection) => connection.query(raise(state)))
          .catch((error: unknown) => error);
        expect(meaningOf(inside)).toBe(meaning);
        await expect(database().query({ text: 'SELECT 1 AS one' })).resolves.toMatchObject({ rowCount: 1 });
      },
    );
  });
}

function meaningOf(error: unknown): SqlStateMeaning | undefined {
  if (error instanceof DatabaseConflictError) return 'retry';
  if (error instanceof DatabaseUnavailableError) return 'unavailable';
  if (!(error instanceof DatabaseError)) return undefined;
  return error.isCallerError ? 'caller' : 'bug';
}
