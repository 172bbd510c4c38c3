import type { Database } from '@millrace/database';
import { CODED } from './text-template';
import { IN_OBJECT, WHOLE_BODY, wholeText } from './whole-text';

/** The tables with texts that can have templates. */
export const textPlaces = ['runs', 'messages'] as const;
export type TextPlace = (typeof textPlaces)[number];

/** Their columns, and the SQL for the whole text of each. */
export const texts: Readonly<
  Record<TextPlace, readonly { readonly column: string; readonly whole: string }[]>
> = {
  runs: ['request', 'result', 'usage'].map((column) => ({ column, whole: wholeText(column) })),
  messages: [{ column: 'body', whole: WHOLE_BODY }],
};

// What begins so is in the object store, which `moveBodies` looks after.
const isCoded = (place: TextPlace, column: string) =>
  `(left(coalesce(${place}.${column}, ''), 1) = '${CODED}' AND left(${place}.${column}, 2) <> '${IN_OBJECT}')`;

/** SQL: whether a text of the row has a template. */
export const isTextCoded = (place: TextPlace) =>
  `(${texts[place].map(({ column }) => isCoded(place, column)).join(' OR ')})`;

/** SQL: whether the template of a text of the row is not stored. */
export const isMissing = (place: TextPlace) =>
  `(${texts[place]
    .map(
      ({ column }) =>
        `(${isCoded(place, column)} AND NOT EXISTS (SELECT FROM text_templates WHERE digest = substr(${place}.${column}, 2, 8)))`,
    )
    .join(' OR ')})`;

/** The blocks of a table that `examineTexts` reads. */
const EXAMINED_BLOCKS = 2_000;
const MAXIMUM_NAMED = 21;

export interface ExaminedTexts {
  /** Whether texts have templates, which releases before 0.2 do not read. */
  readonly areCoded: boolean;
  /** Rows with a text whose template is not stored; it is read as null. The first 21 of each table. */
  readonly missing: readonly { readonly place: TextPlace; readonly id: string }[];
}

/** Examines the texts of all rows, and of large tables those of a random sample of a few thousand rows. */
export async function examineTexts(database: Database): Promise<ExaminedTexts> {
  let areCoded = false;
  const missing: { place: TextPlace; id: string }[] = [];
  for (const place of textPlaces) {
    const { rows: sizes } = await database.query<{ percent: number }>({
      text: `SELECT least(100, 100.0 * ${EXAMINED_BLOCKS} * current_setting('block_size')::int
        / greatest(1, pg_relation_size('${place}')))::float8 AS percent`,
    });
    const { rows } = await database.query<{ coded: boolean; ids: string[] }>({
      text: `WITH examined AS MATERIALIZED (SELECT id, ${isMissing(place)} AS missing FROM ${place} TABLESAMPLE SYSTEM ($1)
          WHERE ${isTextCoded(place)})
        SELECT EXISTS (SELECT FROM examined) AS coded,
          ARRAY(SELECT id::text FROM examined WHERE missing ORDER BY id LIMIT ${MAXIMUM_NAMED}) AS ids`,
      values: [sizes[0]?.percent ?? 100],
    });
    areCoded ||= rows[0]?.coded ?? false;
    missing.push(...(rows[0]?.ids ?? []).map((id) => ({ place, id })));
  }
  return { areCoded, missing };
}
