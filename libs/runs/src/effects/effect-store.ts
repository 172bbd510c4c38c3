import type { Database } from '@millrace/database';
import { storableText } from '../storable-text';

/** An effect of one run, by where and when in it. */
export interface EffectPlace {
  readonly runId: string;
  readonly vertexId: string;
  /** Tells effects of one vertex apart. */
  readonly name: string;
  /** Counts those of the same name, from 1. */
  readonly ordinal: number;
}

/** What is known of an effect when an attempt is about to have it. */
export type BegunEffect =
  /** An attempt had it to its end, and this is the JSON that came of it. */
  | { readonly state: 'done'; readonly result: string }
  /** Nobody has tried. */
  | { readonly state: 'first' }
  /** An attempt began, and nobody knows how far it came. */
  | { readonly state: 'unfinished' }
  /** The run is another attempt's. */
  | { readonly state: 'fenced' };

// Fenced: an attempt that lost its run has no effects any more.
const BEGIN = {
  name: 'run-effects-begin',
  text: `INSERT INTO run_effects (run_id, vertex_id, name, ordinal, attempt)
    SELECT id, $2, $3, $4, attempt FROM runs WHERE id = $1 AND attempt = $5 AND status = 'running'
    ON CONFLICT (run_id, md5(vertex_id), md5(name), ordinal)
    DO UPDATE SET attempt = excluded.attempt, tries = run_effects.tries + 1
    RETURNING tries, result`,
};

const FINISH = {
  name: 'run-effects-finish',
  text: `UPDATE run_effects SET result = $6
    WHERE run_id = $1 AND md5(vertex_id) = md5($2) AND md5(name) = md5($3) AND ordinal = $4 AND attempt = $5`,
};

/** What durable runs have done outside of themselves: an intent before, a result after. */
export class EffectStore {
  readonly #database: Database;

  constructor({ database }: { readonly database: Database }) {
    this.#database = database;
  }

  /** Writes down that an attempt is about to have an effect, unless there is nothing left to do. */
  async begin(place: EffectPlace, attempt: number): Promise<BegunEffect> {
    const { rows } = await this.#database.query<{ tries: number; result: string | null }>({
      ...BEGIN,
      values: [...valuesOf(place), attempt],
    });
    const [row] = rows;
    if (row === undefined) return { state: 'fenced' };
    if (row.result !== null) return { state: 'done', result: row.result };
    return { state: row.tries === 1 ? 'first' : 'unfinished' };
  }

  /** Writes down what came of it, as JSON. Nothing happens when another attempt has it in hand. */
  async finish(place: EffectPlace, attempt: number, result: string): Promise<void> {
    await this.#database.query({ ...FINISH, values: [...valuesOf(place), attempt, storableText(result)] });
  }

  /** Whether a flow wants its runs to fail rather than to repeat what may have happened. */
  async failsUnfinished(flowId: string): Promise<boolean> {
    const { rows } = await this.#database.query<{ policy: string | null }>({
      text: `SELECT settings->>'unfinishedEffects' AS policy FROM flows WHERE id = $1`,
      values: [flowId],
    });
    return rows[0]?.policy === 'fail';
  }
}

function valuesOf({ runId, vertexId, name, ordinal }: EffectPlace): unknown[] {
  return [runId, storableText(vertexId), storableText(name), ordinal];
}
