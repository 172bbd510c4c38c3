import type { Database, Queryable } from '@millrace/database';
import { retryOnDeadlock } from '../retry-on-deadlock';
import { isMissing, isTextCoded, texts, textPlaces } from './text-places';
import type { TextPlace } from './text-places';

/** Services wait for the rows of a statement: one that takes longer is followed by smaller ones. */
const LONG_MILLISECONDS = 50;
const SHORT_MILLISECONDS = 20;
const MINIMUM_ROWS = 10;
const MAXIMUM_ROWS = 1_000;
const FIRST_ROWS = 100;
/** The whole texts have several times these bytes. */
const MAXIMUM_BYTES = 500_000;
const RETRY_MILLISECONDS = 250;
const LOCKED_MILLISECONDS = 60_000;
const MAXIMUM_NAMED = 20;
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

export interface RewriteTextsOptions {
  readonly database: Database;
  readonly signal?: AbortSignal;
  /** For how long rows that others have locked are tried again; a minute unless given. */
  readonly lockedMilliseconds?: number;
  /** Called after each page of rows. */
  readonly onProgress?: (place: TextPlace, rows: number, rewritten: number) => void;
}

/** What became of the rows of one table. */
export interface RewrittenTexts {
  readonly place: TextPlace | 'files' | 'bodies';
  /** Rows that were looked at. */
  rows: number;
  rewritten: number;
  /** Rows that stayed locked. */
  locked: number;
  /** Rows that cannot be rewritten: the template of a text is not stored, or an object cannot be read. */
  missing: number;
  /** The ids of the first 20 of these. */
  readonly named: string[];
}

/**
 * Writes each text that has a template whole, in the order of the primary keys and in short statements: services read and write
 * meanwhile. Rows that others have locked are passed over and tried again. Interrupted, the next call finds only what is left.
 */
export async function rewriteTexts(options: RewriteTextsOptions): Promise<readonly RewrittenTexts[]> {
  const all: RewrittenTexts[] = [];
  for (const place of textPlaces) all.push(await new TableRewrite(place, options).run());
  return all;
}

interface CodedRow {
  readonly id: string;
  readonly bytes: number;
}

class TableRewrite {
  readonly #place: TextPlace;
  readonly #options: RewriteTextsOptions;
  readonly #counts: RewrittenTexts;
  readonly #pageSize = new StatementSize();
  readonly #updateSize = new StatementSize();
  #locked: CodedRow[] = [];

  constructor(place: TextPlace, options: RewriteTextsOptions) {
    this.#place = place;
    this.#options = options;
    this.#counts = { place, rows: 0, rewritten: 0, locked: 0, missing: 0, named: [] };
  }

  async run(): Promise<RewrittenTexts> {
    const { onProgress, lockedMilliseconds = LOCKED_MILLISECONDS } = this.#options;
    for (let after: string | undefined = BEFORE_ALL; after !== undefined;) {
      const page = await this.#page(after);
      await this.#rewrite(page.coded);
      after = page.last;
      this.#counts.rows += page.rows;
      onProgress?.(this.#place, this.#counts.rows, this.#counts.rewritten);
    }
    for (const end = performance.now() + lockedMilliseconds; this.#locked.length > 0;) {
      const locked = this.#locked;
      this.#locked = [];
      await this.#rewrite(locked);
      if (performance.now() > end) break;
      if (this.#locked.length > 0) await new Promise((resolve) => setTimeout(resolve, RETRY_MILLISECONDS));
    }
    return { ...this.#counts, locked: this.#locked.length };
  }

  async #page(after: string) {
    const { rows } = await this.#timed(this.#pageSize, (database, limit) =>
      database.query<CodedRow & { readonly isCoded: boolean }>({
        text: `SELECT id, ${isTextCoded(this.#place)} AS "isCoded", ${bytesOf(this.#place)} AS bytes
          FROM ${this.#place} WHERE id > $1::uuid ORDER BY id LIMIT $2`,
        values: [after, limit],
      }),
    );
    return { rows: rows.length, last: rows.at(-1)?.id, coded: rows.filter(({ isCoded }) => isCoded) };
  }

  /** Rewrites rows of this table; those that stay as they are become locked or missing ones. */
  async #rewrite(rows: readonly CodedRow[]): Promise<void> {
    for (let from = 0; from < rows.length;) {
      const part = firstOf(rows.slice(from), this.#updateSize.rows);
      from += part.length;
      const ids = part.map(({ id }) => id);
      const { rows: updated } = await this.#timed(this.#updateSize, (database) =>
        retryOnDeadlock(() =>
          database.query<{ readonly id: string; readonly isCoded: boolean }>({
            text: updateSql(this.#place),
            values: [ids],
          }),
        ),
      );
      const whole = new Set(updated.filter(({ isCoded }) => !isCoded).map(({ id }) => id));
      this.#counts.rewritten += whole.size;
      await this.#examine(part.filter(({ id }) => !whole.has(id)));
    }
  }

  /** The statement saw the templates of its beginning, so only a further one says which are missing. */
  async #examine(rows: readonly CodedRow[]): Promise<void> {
    if (rows.length === 0) return;
    const { rows: left } = await this.#options.database.query<{ readonly id: string; missing: boolean }>({
      text: `SELECT id, ${isMissing(this.#place)} AS missing FROM ${this.#place}
        WHERE id = ANY($1::uuid[]) AND ${isTextCoded(this.#place)}`,
      values: [rows.map(({ id }) => id)],
    });
    const missing = new Map(left.map((row) => [row.id, row.missing]));
    for (const row of rows) {
      if (missing.get(row.id) === false) this.#locked.push(row);
      if (missing.get(row.id) !== true) continue;
      this.#counts.missing += 1;
      if (this.#counts.named.length < MAXIMUM_NAMED) this.#counts.named.push(row.id);
    }
  }

  async #timed<T>(
    size: StatementSize,
    statement: (database: Queryable, rows: number) => Promise<T>,
  ): Promise<T> {
    this.#options.signal?.throwIfAborted();
    const begin = performance.now();
    const result = await statement(this.#options.database, size.rows);
    size.observe(performance.now() - begin);
    return result;
  }
}

/** How many rows a statement gets, by how long the ones before took. */
class StatementSize {
  rows = FIRST_ROWS;

  observe(milliseconds: number): void {
    if (milliseconds > LONG_MILLISECONDS) this.rows = Math.max(MINIMUM_ROWS, Math.floor(this.rows / 2));
    else if (milliseconds < SHORT_MILLISECONDS)
      this.rows = Math.min(MAXIMUM_ROWS, Math.ceil(this.rows * 1.5));
  }
}

/** At least one row. */
function firstOf(rows: readonly CodedRow[], maximum: number): readonly CodedRow[] {
  let [count, bytes] = [0, 0];
  for (const row of rows.slice(0, maximum)) {
    bytes += row.bytes;
    if (count > 0 && bytes > MAXIMUM_BYTES) break;
    count += 1;
  }
  return rows.slice(0, count);
}

const bytesOf = (place: TextPlace) =>
  texts[place].map(({ column }) => `coalesce(octet_length(${place}.${column}), 0)`).join(' + ');

/**
 * A row that a service has changed since the statement began can have a template that this statement does not see: such a text
 * stays as it is.
 */
function updateSql(place: TextPlace): string {
  const set = texts[place].map(({ column, whole }) => `${column} = coalesce(${whole}, ${place}.${column})`);
  return `WITH given AS (SELECT id FROM ${place} WHERE id = ANY($1::uuid[]) AND ${isTextCoded(place)}
      ORDER BY id FOR NO KEY UPDATE SKIP LOCKED)
    UPDATE ${place} SET ${set.join(', ')} FROM given WHERE ${place}.id = given.id
    RETURNING ${place}.id, ${isTextCoded(place)} AS "isCoded"`;
}
