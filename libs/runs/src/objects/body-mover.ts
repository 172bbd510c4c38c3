import { randomUUID } from 'node:crypto';
import { DatabaseError } from '@millrace/database';
import type { Queryable } from '@millrace/database';
import { EARLIER_SERVICES, EarlierServices } from '../text-templates/earlier-services';
import { noteObjectDeletion } from './object-deletions';
import type { ObjectStore } from './object-store';
import { bodyColumns, referenceText } from './run-bodies';
import type { BodyColumn } from './run-bodies';

/** As in the index runs_with_large_bodies. */
const IS_LARGE: Readonly<Record<BodyColumn, string>> = {
  result: 'octet_length(result) > 262144',
  request: `result IS NOT NULL AND octet_length(request) > 262144 AND left(request, 11) <> '{"sealed":"'`,
};
/** Those who read a result do so soon after the end of its run. */
const MOVED_AFTER = '1 minute';
/** Then others of the process have their turn; the upload under way ends first. */
const ROUND_MILLISECONDS = 2_000;
const MAXIMUM_UNREADABLE = 1_000;
/** Longer than an upload usually takes. A process that ends meanwhile leaves the turn for this time. */
const TURN = '5 minutes';
/** The store can complete an upload after its answer was lost. */
const LATE_UPLOAD = '2 minutes';
const PAUSE_AFTER_FAILURE = `interval '30 seconds' * (0.5 + random())`;

/**
 * The next run to move, for the process that has the turn or gets it. The lock is a step of its own: with it, PostgreSQL would read
 * the texts again that the index knows about.
 */
const NEXT = {
  name: 'bodies-next',
  text: `WITH oldest AS MATERIALIZED (
      SELECT id FROM runs WHERE ((${IS_LARGE.result}) OR (${IS_LARGE.request})) AND status = 'succeeded'
        AND finished_at <= now() - $1::interval AND id <> ALL($3::uuid[])
      ORDER BY finished_at LIMIT 20
    ), due AS (
      SELECT id FROM runs WHERE id IN (SELECT id FROM oldest)
      ORDER BY finished_at LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED
    ), turn AS (
      INSERT INTO object_store (moving_until) SELECT now() + interval '${TURN}' FROM due
      ON CONFLICT (only_row) DO UPDATE SET moving_until = excluded.moving_until
        WHERE $2::boolean OR object_store.moving_until <= now()
      RETURNING installation::text
    )
    SELECT id, installation FROM due CROSS JOIN turn`,
};

/** Services of earlier releases can be started during an upload. */
const IS_EARLIER_CONNECTED = `EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database()
  AND application_name ~ '${EARLIER_SERVICES}')`;

export interface BodyMoverOptions {
  readonly database: Queryable;
  readonly objects: ObjectStore;
  /** How long after the end of their run bodies move, as an interval of PostgreSQL; a minute unless given. */
  readonly movedAfter?: string;
}

export interface MovedBodies {
  readonly moved: number;
  /** Why the others stay for a later call; null unless one failed. */
  readonly failure: unknown;
}

interface LargeBody {
  readonly text: string;
  readonly digest: string;
}

interface DueRun {
  readonly id: string;
  readonly installation: string;
}

/**
 * Moves large requests and results of runs that have ended to the object store, one at a time. A row names its object from the
 * moment that the object exists: an upload that no row came to name is an orphan.
 */
export class BodyMover {
  readonly #options: BodyMoverOptions;
  readonly #earlier: EarlierServices;
  /** Runs whose rows the database cannot read. They stay as they are, and the others go on. */
  readonly #unreadable = new Set<string>();

  constructor(options: BodyMoverOptions) {
    this.#options = options;
    this.#earlier = new EarlierServices(options.database);
  }

  /** Moves bodies for some seconds. Any number of processes can call it; one of them has the turn. */
  async moveDue(signal: AbortSignal): Promise<MovedBodies> {
    const ends = performance.now() + ROUND_MILLISECONDS;
    const changed: string[] = [];
    let moved = 0;
    let hasTurn = false;
    let next = `'-infinity'`;
    let failure: unknown = null;
    try {
      while (performance.now() < ends && !signal.aborted && !(await this.#earlier.areConnected())) {
        const run = await this.#next(hasTurn, [...changed, ...this.#unreadable]);
        if (run === undefined) break;
        hasTurn = true;
        for (const column of bodyColumns) {
          const body = await this.#read(run, column).catch((error: unknown) => {
            if (!(error instanceof DatabaseError) || this.#unreadable.size >= MAXIMUM_UNREADABLE) throw error;
            this.#unreadable.add(run.id);
            failure = error;
            return undefined;
          });
          if (body === undefined) continue;
          // Another process can have changed or locked the row; a later call looks again.
          if (await this.#move(run, column, body)) moved += 1;
          else changed.push(run.id);
        }
      }
      return { moved, failure };
    } catch (error) {
      next = `now() + ${PAUSE_AFTER_FAILURE}`;
      return { moved, failure: error };
    } finally {
      if (hasTurn) await this.#endTurn(next);
    }
  }

  async #next(hasTurn: boolean, left: readonly string[]): Promise<DueRun | undefined> {
    const { database, movedAfter = MOVED_AFTER } = this.#options;
    return (await database.query<DueRun>({ ...NEXT, values: [movedAfter, hasTurn, left] })).rows[0];
  }

  async #read({ id }: DueRun, column: BodyColumn): Promise<LargeBody | undefined> {
    const { rows } = await this.#options.database.query<LargeBody>({
      text: `SELECT ${column} AS text, md5(${column}) AS digest FROM runs WHERE id = $1 AND ${IS_LARGE[column]}`,
      values: [id],
    });
    return rows[0];
  }

  /** Returns whether the row names the object now. */
  async #move({ id, installation }: DueRun, column: BodyColumn, body: LargeBody): Promise<boolean> {
    const { database, objects } = this.#options;
    const key = `${installation}/runs/${id}/${randomUUID()}`;
    const content = once(Buffer.from(body.text));
    const bytes = await objects.upload(key, content).catch(async (error: unknown) => {
      await noteObjectDeletion(database, key, LATE_UPLOAD);
      throw error;
    });
    // Where its answer is lost, the row can name the object: the sweep finds that out.
    const { rowCount } = await database.query({
      text: `UPDATE runs SET ${column} = $2 WHERE id = (SELECT id FROM runs WHERE id = $1 FOR NO KEY UPDATE SKIP LOCKED)
        AND md5(${column}) = $3 AND NOT ${IS_EARLIER_CONNECTED}`,
      values: [id, referenceText({ key, bytes }), body.digest],
    });
    if (rowCount === 0) await noteObjectDeletion(database, key);
    return rowCount > 0;
  }

  async #endTurn(until: string): Promise<void> {
    await this.#options.database.query({ text: `UPDATE object_store SET moving_until = ${until}` });
  }
}

async function* once(content: Buffer): AsyncGenerator<Buffer> {
  yield content;
}
