import type { Database } from '@millrace/database';
import { storableText } from '@millrace/python-text';

/** Identifies an effect within a run. */
export interface EffectKey {
  readonly runId: string;
  readonly vertexId: string;
  /** Distinguishes the effects of one vertex. */
  readonly name: string;
  /** Counts the effects of the same name, from 1. */
  readonly ordinal: number;
}

/** State of an effect when an attempt is about to perform it. */
export type EffectState =
  /** An attempt completed it; `result` is its JSON. */
  | { readonly state: 'done'; readonly result: string }
  /** No attempt has begun it. */
  | { readonly state: 'first' }
  /** An attempt began it; whether it took place is unknown. */
  | { readonly state: 'unfinished' }
  /** Another attempt owns the run. */
  | { readonly state: 'fenced' };

// Fenced: an attempt that lost its claim can no longer have effects.
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

/** Records the effects of durable runs: an intent before each effect, its result after it. */
export class EffectStore {
  readonly #database: Database;

  constructor({ database }: { readonly database: Database }) {
    this.#database = database;
  }

  /** Records that an attempt is about to perform an effect, unless it is done or the attempt is fenced. */
  async begin(key: EffectKey, attempt: number): Promise<EffectState> {
    const { rows } = await this.#database.query<{ tries: number; result: string | null }>({
      ...BEGIN,
      values: [...valuesOf(key), attempt],
    });
    const [row] = rows;
    if (row === undefined) return { state: 'fenced' };
    if (row.result !== null) return { state: 'done', result: row.result };
    return { state: row.tries === 1 ? 'first' : 'unfinished' };
  }

  /** Stores the effect's result as JSON. Does nothing when another attempt has begun the effect since. */
  async finish(key: EffectKey, attempt: number, result: string): Promise<void> {
    await this.#database.query({ ...FINISH, values: [...valuesOf(key), attempt, storableText(result)] });
  }

  /** Whether the flow's runs fail rather than repeat an effect that may have taken place. */
  async failsOnUnfinishedEffects(flowId: string): Promise<boolean> {
    const { rows } = await this.#database.query<{ policy: string | null }>({
      text: `SELECT readable_json(settings::text) ->> 'unfinishedEffects' AS policy FROM flows WHERE id = $1`,
      values: [flowId],
    });
    return rows[0]?.policy === 'fail';
  }
}

function valuesOf({ runId, vertexId, name, ordinal }: EffectKey): unknown[] {
  return [runId, storableText(vertexId), storableText(name), ordinal];
}
