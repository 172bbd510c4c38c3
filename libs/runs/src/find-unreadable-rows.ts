import type { Queryable } from '@millrace/database';
import { unstorableCharacterWithin } from '@millrace/http';

/** A row with JSON that PostgreSQL stored and cannot read. Services before this check stored such rows. */
export interface UnreadableRow {
  readonly place: string;
  readonly id: string;
  readonly userId: string;
}

/** Escapes that can stand for no character; a complete surrogate pair has them, too. */
const SUSPECT = String.raw`\\u(0000|[dD][89a-fA-F])`;

const suspects = (place: string, table: string, column: string) =>
  `SELECT '${place}' AS place, id, user_id AS "userId", ${column}::text AS text FROM ${table}
    WHERE ${column}::text ~ '${SUSPECT}' OR (${column} IS NOT NULL AND readable_json(${column}::text) IS NULL)`;

const FIND = {
  text: [
    suspects('settings of flow', 'flows', 'settings'),
    suspects('attributes of flow', 'flows', 'attributes'),
    suspects('configuration of trigger', 'triggers', 'config'),
    suspects('exchange of callback', 'callback_deliveries', 'amqp'),
  ].join(' UNION ALL '),
};

/**
 * Finds the rows of all users whose JSON the statements over several users cannot read as it is. They read U+FFFD instead of a
 * character that cannot be read, and nothing where that does not help.
 */
export async function findUnreadableRows(database: Queryable): Promise<readonly UnreadableRow[]> {
  const { rows } = await database.query<UnreadableRow & { readonly text: string }>(FIND);
  return rows
    .filter(({ text }) => isUnreadable(text))
    .map(({ place, id, userId }) => ({ place, id, userId }));
}

function isUnreadable(text: string): boolean {
  try {
    // Visiting a value that is too deep fails, too.
    return !SUSPECT_TEXT.test(text) || unstorableCharacterWithin(JSON.parse(text)) !== null;
  } catch {
    return true;
  }
}

const SUSPECT_TEXT = new RegExp(SUSPECT);
