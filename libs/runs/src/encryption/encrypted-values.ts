import { DatabaseError, UNDEFINED_COLUMN, UNDEFINED_TABLE } from '@millrace/database';
import type { Queryable } from '@millrace/database';
import { ENCRYPTED_BEGIN } from './encryption';
import { SEALED_BEGIN } from './request-seal';

/** The tables that contain encrypted values. */
export const encryptedPlaces = [
  'variables',
  'mcp_servers',
  'triggers',
  'runs',
  'run_effects',
  'effect_results',
  'run_checkpoints',
  'human_requests',
  'human_decisions',
  'console_sessions',
] as const;
export type EncryptedPlace = (typeof encryptedPlaces)[number];

const PAGE_ROWS = 1_000;
/** Values that are read at a time: their bytes together, unless one value alone is larger. */
const READ_BYTES = 4_000_000;

/** How a text of columns uses their index; the first column is `run_id`. */
interface IndexedPosition {
  readonly order: string;
  /** Returns the values of the columns in a position. */
  readonly valuesOf: (position: string) => string;
}

interface PlaceStatements {
  /** That of the place unless given. */
  readonly table?: string;
  /** The order of the pages, unique in its table. */
  readonly position: string;
  readonly positionType: string;
  /** Columns of an index in the order of the positions, where a position is no column but a text of these. */
  readonly indexed?: IndexedPosition;
  /** What a person calls the row. */
  readonly label: string;
  readonly column: string;
  /** Which rows have an encrypted value. */
  readonly condition: string;
  /** What stands before and after the encrypted text in the column. */
  readonly wrapping: readonly [before: string, after: string];
}

const OWNED_NAME = `coalesce((SELECT username FROM users WHERE users.id = user_id), '') || '/' || name`;

const statements: Readonly<Record<EncryptedPlace, PlaceStatements>> = {
  variables: {
    position: 'id',
    positionType: 'uuid',
    label: OWNED_NAME,
    column: 'encrypted_value',
    condition: 'true',
    wrapping: ['', ''],
  },
  mcp_servers: {
    position: `(user_id::text || md5(name)) COLLATE "C"`,
    positionType: 'text',
    label: OWNED_NAME,
    column: 'encrypted_config',
    condition: 'true',
    wrapping: ['', ''],
  },
  triggers: {
    position: 'id',
    positionType: 'uuid',
    label: OWNED_NAME,
    column: 'encrypted_secret',
    condition: 'encrypted_secret IS NOT NULL',
    wrapping: ['', ''],
  },
  runs: {
    position: 'id',
    positionType: 'uuid',
    label: 'id::text',
    column: 'request',
    condition: sealed('request'),
    wrapping: [SEALED_BEGIN, '"}'],
  },
  run_effects: runEffects(`coalesce(${sealed('result')}, false)`, [SEALED_BEGIN, '"}']),
  effect_results: {
    table: 'run_effects',
    ...runEffects(`coalesce(starts_with(result, '${ENCRYPTED_BEGIN}'), false)`, ['', '']),
  },
  run_checkpoints: {
    position: 'run_id',
    positionType: 'uuid',
    label: 'run_id::text',
    column: 'results',
    condition: sealed('results'),
    wrapping: [SEALED_BEGIN, '"}'],
  },
  human_requests: humanRequests('request'),
  human_decisions: { table: 'human_requests', ...humanRequests('decision') },
  console_sessions: {
    position: 'id',
    positionType: 'uuid',
    label: 'id::text',
    column: 'encrypted_issuer_token',
    condition: 'encrypted_issuer_token IS NOT NULL',
    wrapping: ['', ''],
  },
};

function sealed(column: string): string {
  return `left(${column}, ${SEALED_BEGIN.length}) = '${SEALED_BEGIN}'`;
}

function runEffects(condition: string, wrapping: PlaceStatements['wrapping']): PlaceStatements {
  return {
    position: `(run_id::text || md5(vertex_id) || md5(name) || lpad(ordinal::text, 10, '0')) COLLATE "C"`,
    positionType: 'text',
    indexed: {
      order: 'run_id, md5(vertex_id), md5(name), ordinal',
      valuesOf: (text) =>
        `left(${text}, 36)::uuid, substr(${text}, 37, 32), substr(${text}, 69, 32), substr(${text}, 101)::int`,
    },
    label: 'run_id::text',
    column: 'result',
    condition,
    wrapping,
  };
}

function humanRequests(column: 'request' | 'decision'): PlaceStatements {
  return {
    position: `(run_id::text || md5(request_id)) COLLATE "C"`,
    positionType: 'text',
    indexed: {
      order: 'run_id, md5(request_id)',
      valuesOf: (text) => `left(${text}, 36)::uuid, substr(${text}, 37)`,
    },
    label: 'run_id::text',
    column,
    condition: `coalesce(${sealed(column)}, false)`,
    wrapping: [SEALED_BEGIN, '"}'],
  };
}

/** Where an encrypted value is, and with which key it was encrypted. */
export interface EncryptedHead {
  readonly position: string;
  readonly label: string;
  /** The beginning of the encrypted text, which contains the id of its key. */
  readonly head: string;
  readonly bytes: number;
}

export interface EncryptedValue extends EncryptedHead {
  readonly value: string;
}

/** The rows of a page: how many there are, and those of them that have an encrypted value. */
export interface EncryptedPage {
  readonly rows: number;
  readonly heads: readonly EncryptedHead[];
}

/** Yields the rows of a place in the order of their positions, without the values. No page where table or column do not exist. */
export async function* encryptedPages(
  database: Queryable,
  place: EncryptedPlace,
): AsyncGenerator<EncryptedPage> {
  const {
    table = place,
    position,
    positionType,
    indexed,
    label,
    column,
    condition,
    wrapping,
  } = statements[place];
  const behind =
    indexed === undefined
      ? `${position} > $1::${positionType}`
      : `(${indexed.order}) > (${indexed.valuesOf('$1::text')})`;
  const text = `SELECT page.position::text AS position, ${label} AS label, ${condition} AS "isEncrypted",
      substr(${column}, ${wrapping[0].length + 1}, 24) AS head, coalesce(octet_length(${column}), 0) AS bytes
    FROM (SELECT *, ${position} AS position FROM ${table}
      WHERE $1::${positionType} IS NULL OR ${behind}
      ORDER BY ${indexed?.order ?? position} LIMIT ${PAGE_ROWS}) AS page
    ORDER BY page.position`;
  for (let after: string | null = null; ;) {
    const rows: readonly (EncryptedHead & { readonly isEncrypted: boolean })[] = await rowsIfTable(
      database.query<EncryptedHead & { readonly isEncrypted: boolean }>({ text, values: [after] }),
    );
    yield { rows: rows.length, heads: rows.filter(({ isEncrypted }) => isEncrypted) };
    after = rows.at(-1)?.position ?? null;
    if (rows.length < PAGE_ROWS || after === null) return;
  }
}

/** Yields the values of these rows, a bounded number of bytes at a time. Rows that were deleted meanwhile are left out. */
export async function* encryptedValues(
  database: Queryable,
  place: EncryptedPlace,
  heads: readonly EncryptedHead[],
): AsyncGenerator<readonly EncryptedValue[]> {
  const { table = place, position, positionType, indexed, column, condition, wrapping } = statements[place];
  const runs = indexed
    ? `run_id = ANY(ARRAY(SELECT left(one, 36)::uuid FROM unnest($1::text[]) AS one)) AND `
    : '';
  const [before, after] = wrapping;
  for (const part of partsOf(heads)) {
    const { rows } = await database.query<{ position: string; text: string }>({
      text: `SELECT (${position})::text AS position, ${column} AS text FROM ${table}
        WHERE ${runs}${position} = ANY($1::${positionType}[]) AND ${condition}`,
      values: [part.map((head) => head.position)],
    });
    const texts = new Map(rows.map((row) => [row.position, row.text]));
    yield part.flatMap((head) => {
      const text = texts.get(head.position);
      return text === undefined
        ? []
        : [{ ...head, value: text.slice(before.length, text.length - after.length) }];
    });
  }
}

/** Replaces values that are still those that were read. Resolves to their positions. */
export async function replaceEncryptedValues(
  database: Queryable,
  place: EncryptedPlace,
  values: readonly { readonly position: string; readonly value: string; readonly replacement: string }[],
): Promise<ReadonlySet<string>> {
  const { table = place, position, positionType, indexed, column, wrapping } = statements[place];
  const runs = indexed ? 'run_id = left(given_position, 36)::uuid AND ' : '';
  const wrap = (text: string) => `${wrapping[0]}${text}${wrapping[1]}`;
  const { rows } = await database.query<{ position: string }>({
    text: `UPDATE ${table} SET ${column} = given.replacement
      FROM unnest($1::${positionType}[], $2::text[], $3::text[]) AS given (given_position, value, replacement)
      WHERE ${runs}${position} = given_position AND ${column} = given.value
      RETURNING (${position})::text AS position`,
    values: [
      values.map((one) => one.position),
      values.map(({ value }) => wrap(value)),
      values.map(({ replacement }) => wrap(replacement)),
    ],
  });
  return new Set(rows.map((row) => row.position));
}

function partsOf(heads: readonly EncryptedHead[]): readonly (readonly EncryptedHead[])[] {
  const parts: EncryptedHead[][] = [];
  let bytes = Infinity;
  for (const head of heads) {
    if (bytes + head.bytes > READ_BYTES) {
      parts.push([]);
      bytes = 0;
    }
    parts.at(-1)?.push(head);
    bytes += head.bytes;
  }
  return parts;
}

async function rowsIfTable<Row>(query: Promise<{ readonly rows: readonly Row[] }>): Promise<readonly Row[]> {
  try {
    return (await query).rows;
  } catch (error) {
    // Migrations of this version have not run yet.
    const state = error instanceof DatabaseError ? error.sqlState : undefined;
    if (state === UNDEFINED_TABLE || state === UNDEFINED_COLUMN) return [];
    throw error;
  }
}
