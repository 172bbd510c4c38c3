import { flowSettingsSchema } from '@millrace/flow';
import type { Queryable } from '@millrace/database';
import { unstorableCharacterWithin } from '@millrace/http';

/**
 * A row with JSON that PostgreSQL stored and cannot read, or with settings of a wrong type. Services before these checks
 * stored such rows.
 */
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

interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

/** Returns the conditions of a JSON path, in strict mode, of which one holds for a value with a wrong type at `at`. */
function wrongTypes(
  { type = [], enum: words, properties = {}, items }: Schema,
  at: string,
): readonly string[] {
  const types = words ? ['string'] : typeof type === 'string' ? [type] : type;
  const own = types.map((one) => `${at}.type() != "${one === 'integer' ? 'number' : one}"`).join(' && ');
  const ofItems = items === undefined ? [] : wrongTypes(items, '@');
  return [
    ...(own === '' ? [] : [own]),
    ...Object.entries(properties).flatMap(([name, member]) => wrongTypes(member, `${at}."${name}"`)),
    ...(ofItems.length === 0 ? [] : [`exists(${at}[*] ? (${ofItems.join(' || ')}))`]),
  ];
}

const FIND = {
  text: [
    suspects('settings of flow', 'flows', 'settings'),
    suspects('attributes of flow', 'flows', 'attributes'),
    suspects('configuration of trigger', 'triggers', 'config'),
    suspects('exchange of callback', 'callback_deliveries', 'amqp'),
    `SELECT 'types in settings of flow', id, user_id, NULL FROM flows
      WHERE jsonb_path_exists(readable_json(settings::text), $1::jsonpath)`,
  ].join(' UNION ALL '),
  values: [`strict $ ? (${wrongTypes(flowSettingsSchema, '@').join(' || ')})`],
};

/**
 * Finds the rows of all users whose JSON the statements over several users cannot read as it is. They read U+FFFD instead of a
 * character that cannot be read, and nothing where that does not help or where a setting has a wrong type.
 */
export async function findUnreadableRows(database: Queryable): Promise<readonly UnreadableRow[]> {
  const { rows } = await database.query<UnreadableRow & { readonly text: string | null }>(FIND);
  return rows
    .filter(({ text }) => text === null || isUnreadable(text))
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
