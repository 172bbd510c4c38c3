import type { Transactional } from '@millrace/database';
import { storableText } from '@millrace/python-text';
import type { AuthorCodeRecord, AuthorCodeStatus, SubmittedCode } from './author-code-record';

/** Texts of one user that can wait for a decision at a time. Further ones are not recorded. */
const MAXIMUM_WAITING_PER_USER = 1_000;

const COLUMNS = `sha256, status, component_type AS "componentType", octet_length(code) AS bytes,
  submitted_by AS "submittedBy", submitted_at AS "submittedAt", decided_by AS "decidedBy", decided_at AS "decidedAt"`;

/** Selects texts; null selects all. */
export interface AuthorCodeFilter {
  readonly status: AuthorCodeStatus | null;
  readonly submittedBy?: string | null | undefined;
  readonly limit: number;
}

/** Stores the Python texts of flows and the decisions of admins about them. A text is the same for all users. */
export class AuthorCodeStore {
  readonly #database: Transactional;

  constructor({ database }: { readonly database: Transactional }) {
    this.#database = database;
  }

  /** Returns the store whose statements join a transaction. */
  within(transaction: Transactional): AuthorCodeStore {
    return new AuthorCodeStore({ database: transaction });
  }

  /**
   * Records texts of a flow of this user. A text that is new waits for a decision; a text that an admin decided on
   * before any flow contained it keeps the decision. Returns how many of the texts are not recorded because the user
   * has {@link MAXIMUM_WAITING_PER_USER} waiting texts.
   */
  async submit(userId: string, texts: readonly SubmittedCode[]): Promise<number> {
    if (texts.length === 0) return 0;
    const { rows } = await this.#database.query<{ dropped: number }>({
      text: `WITH given AS (
          SELECT DISTINCT ON (sha256) sha256, code, type
          FROM unnest($2::text[], $3::text[], $4::text[]) AS texts (sha256, code, type)
          ORDER BY sha256
        ), numbered AS (
          SELECT given.*, row_number() OVER (ORDER BY given.sha256)
            + (SELECT count(*) FROM author_code WHERE submitted_by = $1 AND status = 'waiting') AS place
          FROM given LEFT JOIN author_code USING (sha256) WHERE author_code.code IS NULL
        ), written AS (
          INSERT INTO author_code (sha256, status, component_type, code, submitted_by, submitted_at)
          SELECT sha256, 'waiting', type, code, $1, now() FROM numbered WHERE place <= $5
          ON CONFLICT (sha256) DO UPDATE
          SET component_type = excluded.component_type, code = excluded.code,
            submitted_by = excluded.submitted_by, submitted_at = excluded.submitted_at
          WHERE author_code.code IS NULL
        )
        SELECT count(*)::int AS dropped FROM numbered WHERE place > $5`,
      values: [
        userId,
        texts.map(({ sha256 }) => sha256),
        texts.map(({ code }) => storableText(code)),
        texts.map(({ componentType }) => storableText(componentType)),
        MAXIMUM_WAITING_PER_USER,
      ],
    });
    return rows[0]?.dropped ?? 0;
  }

  /** The texts with this status that this user submitted first, or all; newest first, at most `limit`. */
  async list({ status, submittedBy = null, limit }: AuthorCodeFilter): Promise<AuthorCodeRecord[]> {
    const { rows } = await this.#database.query<AuthorCodeRecord>({
      text: `SELECT ${COLUMNS} FROM author_code
        WHERE ($1::text IS NULL OR status = $1) AND ($2::uuid IS NULL OR submitted_by = $2)
        ORDER BY coalesce(submitted_at, decided_at) DESC, sha256 LIMIT $3`,
      values: [status, submittedBy, limit],
    });
    return rows;
  }

  /** A text with its record; null when it is unknown. The text is null when no flow has contained it. */
  async find(sha256: string): Promise<(AuthorCodeRecord & { readonly code: string | null }) | null> {
    const { rows } = await this.#database.query<AuthorCodeRecord & { code: string | null }>({
      text: `SELECT ${COLUMNS}, code FROM author_code WHERE sha256 = $1`,
      values: [sha256],
    });
    return rows[0] ?? null;
  }

  /** Stores the decision of an admin, also about a text that no flow has contained yet. */
  async decide(
    sha256: string,
    adminId: string,
    status: Exclude<AuthorCodeStatus, 'waiting'>,
  ): Promise<AuthorCodeRecord> {
    const { rows } = await this.#database.query<AuthorCodeRecord>({
      text: `INSERT INTO author_code (sha256, status, decided_by, decided_at) VALUES ($1, $2, $3, now())
        ON CONFLICT (sha256) DO UPDATE
        SET status = excluded.status, decided_by = excluded.decided_by, decided_at = excluded.decided_at
        RETURNING ${COLUMNS}`,
      values: [sha256, status, adminId],
    });
    const [decided] = rows;
    if (decided === undefined) throw new Error('the database returned no row for a decision');
    return decided;
  }

  /** Deletes a text and the decision about it. Returns false when it is unknown. */
  async delete(sha256: string): Promise<boolean> {
    const { rowCount } = await this.#database.query({
      text: `DELETE FROM author_code WHERE sha256 = $1`,
      values: [sha256],
    });
    return rowCount > 0;
  }

  /** The status of each of these texts that is known. */
  async statuses(hashes: readonly string[]): Promise<ReadonlyMap<string, AuthorCodeStatus>> {
    if (hashes.length === 0) return new Map();
    const { rows } = await this.#database.query<{ sha256: string; status: AuthorCodeStatus }>({
      name: 'author-code-statuses',
      text: `SELECT sha256, status FROM author_code WHERE sha256 = ANY($1)`,
      values: [hashes],
    });
    return new Map(rows.map(({ sha256, status }) => [sha256, status]));
  }
}
