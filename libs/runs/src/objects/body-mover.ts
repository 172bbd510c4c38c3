import { randomUUID } from 'node:crypto';
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
const MOVED_AT_ONCE = 200;
/** No upload takes this long. A process that ends meanwhile leaves the turn for this time. */
const TURN = '5 minutes';
const PAUSE_AFTER_FAILURE = `interval '30 seconds' * (0.5 + random())`;

/** The next run to move, for the process that has the turn or gets it. */
const NEXT = {
  name: 'bodies-next',
  text: `WITH due AS (
      SELECT id FROM runs WHERE ((${IS_LARGE.result}) OR (${IS_LARGE.request})) AND status = 'succeeded'
        AND finished_at <= now() - $1::interval ORDER BY finished_at LIMIT 1
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

  constructor(options: BodyMoverOptions) {
    this.#options = options;
    this.#earlier = new EarlierServices(options.database);
  }

  /** Moves bodies of up to 200 runs. Any number of processes can call it; one of them has the turn. */
  async moveDue(signal: AbortSignal): Promise<MovedBodies> {
    let moved = 0;
    let hasTurn = false;
    let next = `'-infinity'`;
    try {
      while (moved < MOVED_AT_ONCE && !signal.aborted && !(await this.#earlier.areConnected())) {
        const run = await this.#next(hasTurn);
        if (run === undefined) break;
        hasTurn = true;
        for (const column of bodyColumns) {
          const outcome = await this.#move(run, column);
          // Another process has changed the row; a later call looks again.
          if (outcome === 'changed') return { moved, failure: null };
          if (outcome === 'moved') moved += 1;
        }
      }
      return { moved, failure: null };
    } catch (failure) {
      next = `now() + ${PAUSE_AFTER_FAILURE}`;
      return { moved, failure };
    } finally {
      if (hasTurn) await this.#endTurn(next);
    }
  }

  async #next(hasTurn: boolean): Promise<DueRun | undefined> {
    const { database, movedAfter = MOVED_AFTER } = this.#options;
    return (await database.query<DueRun>({ ...NEXT, values: [movedAfter, hasTurn] })).rows[0];
  }

  async #move({ id, installation }: DueRun, column: BodyColumn): Promise<'moved' | 'changed' | 'small'> {
    const { database, objects } = this.#options;
    const { rows } = await database.query<{ text: string; digest: string }>({
      text: `SELECT ${column} AS text, md5(${column}) AS digest FROM runs WHERE id = $1 AND ${IS_LARGE[column]}`,
      values: [id],
    });
    const body = rows[0];
    if (body === undefined) return 'small';
    const key = `${installation}/runs/${id}/${randomUUID()}`;
    const content = once(Buffer.from(body.text));
    const bytes = await objects.upload(key, content).catch(async (error: unknown) => {
      await noteObjectDeletion(database, key);
      throw error;
    });
    // Where its answer is lost, the row can name the object: the sweep finds that out.
    const { rowCount } = await database.query({
      text: `UPDATE runs SET ${column} = $2 WHERE id = $1 AND md5(${column}) = $3 AND NOT ${IS_EARLIER_CONNECTED}`,
      values: [id, referenceText({ key, bytes }), body.digest],
    });
    if (rowCount > 0) return 'moved';
    await noteObjectDeletion(database, key);
    return 'changed';
  }

  async #endTurn(until: string): Promise<void> {
    await this.#options.database.query({ text: `UPDATE object_store SET moving_until = ${until}` });
  }
}

async function* once(content: Buffer): AsyncGenerator<Buffer> {
  yield content;
}
