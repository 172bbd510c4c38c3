import type { RunEffects } from '@millrace/engine';
import { ComponentError, RunError } from '@millrace/flow';
import type { EffectKey, EffectStore } from '@millrace/runs';
import type { Logger } from '@millrace/service';
import { jsonDumpsCompactAscii, parsePythonJson } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';
import { retryDuringOutage } from '../records/group-writes';

/** Larger results are not recorded; a later attempt then finds the effect unfinished. */
const MAXIMUM_RESULT_CHARACTERS = 16 * 1024 * 1024;
/** A performed effect should be recorded as finished even if the database is unavailable at that moment. */
const FINISH_TIMEOUT_MILLISECONDS = 30_000;
/**
 * An attempt waits for a short outage to end. Where claims succeed and effects fail (a full disk), a run that is
 * released at once would be claimed again at once, until its attempts are exhausted.
 */
const BEGIN_TIMEOUT_MILLISECONDS = 30_000;

export interface RecordedEffectsOptions {
  readonly store: EffectStore;
  readonly runId: string;
  readonly attempt: number;
  readonly flowId: string;
  /** Whether steps are recorded; `on` unless given. */
  readonly steps?: 'on' | 'off' | undefined;
  readonly signal: AbortSignal;
  readonly logger: Logger;
}

/** Records the effects of one attempt of a durable run: the intent before the effect, the result after it. */
export class RecordedEffects implements RunEffects {
  readonly #options: RecordedEffectsOptions;
  readonly #prefix: string;
  readonly #counts = new Map<string, number>();

  constructor(options: RecordedEffectsOptions, prefix = '') {
    this.#options = options;
    this.#prefix = prefix;
  }

  /** Returns the effects of a sub-flow of this run; its name is unique in the run. */
  ofPart(name: string): RecordedEffects {
    return new RecordedEffects(this.#options, `${name}/`);
  }

  async once(vertexId: string, name: string, act: () => Promise<PythonValue>): Promise<PythonValue> {
    const place = this.#place(this.#prefix + vertexId, name);
    const { store, attempt, flowId } = this.#options;
    const begun = await this.#retryDuringOutage(BEGIN_TIMEOUT_MILLISECONDS, () =>
      store.begin(place, attempt),
    );
    if (begun.state === 'done') return parsePythonJson(begun.result);
    if (begun.state === 'fenced') throw new RunError('internal', 'Another attempt owns the run.');
    if (begun.state === 'unfinished' && (await this.#failsUnfinished(flowId))) {
      throw new ComponentError(
        'An earlier attempt may have performed this action already, and the flow does not allow repeating it.',
      );
    }
    const result = await act();
    await this.#finish(place, jsonDumpsCompactAscii(result));
    return result;
  }

  async findStep(place: string, name: string): Promise<PythonValue | undefined> {
    const { store, attempt, steps } = this.#options;
    if (attempt === 1 || steps === 'off') return undefined;
    const key = this.#stepKey(place, name);
    const result = await this.#retryDuringOutage(BEGIN_TIMEOUT_MILLISECONDS, () => store.findStep(key));
    return result === null ? undefined : parsePythonJson(result);
  }

  async recordStep(place: string, name: string, result: PythonValue): Promise<void> {
    const { store, attempt, steps } = this.#options;
    if (steps === 'off') return;
    const text = jsonDumpsCompactAscii(result);
    if (text.length > MAXIMUM_RESULT_CHARACTERS) return;
    const key = this.#stepKey(place, name);
    const isOurs = await this.#retryDuringOutage(FINISH_TIMEOUT_MILLISECONDS, () =>
      store.recordStep(key, attempt, text),
    );
    if (!isOurs) throw new RunError('internal', 'Another attempt owns the run.');
  }

  #stepKey(place: string, name: string): EffectKey {
    return { runId: this.#options.runId, vertexId: this.#prefix + place, name: `step ${name}`, ordinal: 1 };
  }

  #place(vertexId: string, name: string): EffectKey {
    const key = JSON.stringify([vertexId, name]);
    const ordinal = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, ordinal);
    return { runId: this.#options.runId, vertexId, name, ordinal };
  }

  #failsUnfinished(flowId: string): Promise<boolean> {
    const { store } = this.#options;
    return this.#retryDuringOutage(BEGIN_TIMEOUT_MILLISECONDS, () => store.failsOnUnfinishedEffects(flowId));
  }

  async #finish(place: EffectKey, result: string): Promise<void> {
    if (result.length > MAXIMUM_RESULT_CHARACTERS) return;
    const { store, attempt } = this.#options;
    await this.#retryDuringOutage(FINISH_TIMEOUT_MILLISECONDS, () => store.finish(place, attempt, result));
  }

  /** Retries during an outage. The cause of the error decides whether the attempt is released or the run fails. */
  async #retryDuringOutage<Result>(
    timeoutMilliseconds: number,
    work: () => Promise<Result>,
  ): Promise<Result> {
    const { logger, signal: shutdownDeadline } = this.#options;
    const activity = 'recording an effect of a run';
    try {
      return await retryDuringOutage({ timeoutMilliseconds, logger, activity, shutdownDeadline }, work);
    } catch (cause) {
      throw new RunError('internal', 'An effect of the run could not be recorded.', {
        cause,
        permanent: false,
      });
    }
  }
}
