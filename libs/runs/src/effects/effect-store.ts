import type { Database } from '@millrace/database';
import { storableText } from '@millrace/python-text';
import { ENCRYPTED_BEGIN, EncryptionError } from '../encryption/encryption';
import type { Encryption } from '../encryption/encryption';
import { RequestSeal } from '../encryption/request-seal';
import { EarlierServices } from '../text-templates/earlier-services';

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

const FIND_STEP = {
  name: 'run-steps-find',
  text: `SELECT result FROM run_effects
    WHERE run_id = $1 AND md5(vertex_id) = md5($2) AND md5(name) = md5($3) AND ordinal = $4`,
};

const RECORD_STEP = {
  name: 'run-steps-record',
  text: `INSERT INTO run_effects (run_id, vertex_id, name, ordinal, attempt, result)
    SELECT id, $2, $3, $4, attempt, $6 FROM runs WHERE id = $1 AND attempt = $5 AND status = 'running'
    ON CONFLICT (run_id, md5(vertex_id), md5(name), ordinal)
    DO UPDATE SET attempt = excluded.attempt, result = excluded.result`,
};

/**
 * Records the effects of durable runs: an intent before each effect, its result after it. Of a step, which can be done again,
 * only the result is recorded. Results are encrypted if there is a key.
 */
export class EffectStore {
  readonly #database: Database;
  readonly #encryption: Encryption | null;
  readonly #seal: RequestSeal;
  readonly #earlierServices: EarlierServices;

  constructor({
    database,
    encryption = null,
  }: {
    readonly database: Database;
    readonly encryption?: Encryption | null;
  }) {
    this.#database = database;
    this.#encryption = encryption;
    this.#earlierServices = new EarlierServices(database);
    this.#seal = new RequestSeal({ encryption });
  }

  /** Returns the JSON of a step that an earlier attempt has done; null for another one. */
  async findStep(key: EffectKey): Promise<string | null> {
    const { rows } = await this.#database.query<{ result: string | null }>({
      ...FIND_STEP,
      values: valuesOf(key),
    });
    const result = rows[0]?.result ?? null;
    return result === null ? null : this.#seal.readText(result);
  }

  /** Stores the JSON of a step; false when another attempt owns the run. */
  async recordStep(key: EffectKey, attempt: number, result: string): Promise<boolean> {
    const values = [...valuesOf(key), attempt, this.#seal.writeText(storableText(result))];
    return (await this.#database.query({ ...RECORD_STEP, values })).rowCount > 0;
  }

  /** Records that an attempt is about to perform an effect, unless it is done or the attempt is fenced. */
  async begin(key: EffectKey, attempt: number): Promise<EffectState> {
    const { rows } = await this.#database.query<{ tries: number; result: string | null }>({
      ...BEGIN,
      values: [...valuesOf(key), attempt],
    });
    const [row] = rows;
    if (row === undefined) return { state: 'fenced' };
    if (row.result !== null) return { state: 'done', result: this.#readResult(row.result) };
    return { state: row.tries === 1 ? 'first' : 'unfinished' };
  }

  /** Stores the effect's result as JSON. Does nothing when another attempt has begun the effect since. */
  async finish(key: EffectKey, attempt: number, result: string): Promise<void> {
    const written = await this.#writtenResult(storableText(result));
    await this.#database.query({ ...FINISH, values: [...valuesOf(key), attempt, written] });
  }

  /** Whether the flow's runs fail rather than repeat an effect that may have taken place. */
  async failsOnUnfinishedEffects(flowId: string): Promise<boolean> {
    const { rows } = await this.#database.query<{ policy: string | null }>({
      text: `SELECT readable_json(settings::text) ->> 'unfinishedEffects' AS policy FROM flows WHERE id = $1`,
      values: [flowId],
    });
    return rows[0]?.policy === 'fail';
  }

  /** A service of an earlier release that takes the run over reads only JSON. */
  async #writtenResult(result: string): Promise<string> {
    if (this.#encryption === null || (await this.#earlierServices.areConnected())) return result;
    return this.#encryption.encrypt(result);
  }

  /** No JSON begins like an encrypted text, so that an earlier release fails on it, and does not take it for a result. */
  #readResult(stored: string): string {
    if (!stored.startsWith(ENCRYPTED_BEGIN)) return stored;
    if (this.#encryption === null)
      throw new EncryptionError('A result was encrypted with a key that is not configured.');
    return this.#encryption.decrypt(stored);
  }
}

function valuesOf({ runId, vertexId, name, ordinal }: EffectKey): unknown[] {
  return [runId, storableText(vertexId), storableText(name), ordinal];
}
