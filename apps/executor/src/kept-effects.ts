import type { RunEffects } from '@millrace/engine';
import { ComponentError, jsonDumpsCompactAscii, parsePythonJson, RunError } from '@millrace/flow';
import type { PythonValue } from '@millrace/flow';
import type { EffectPlace, EffectStore } from '@millrace/runs';
import type { Logger } from '@millrace/service';
import { patientCommit } from './patient-commit';

/** What comes of larger effects is not kept: a later attempt finds them unfinished. */
const LARGEST_RESULT_CHARACTERS = 16 * 1024 * 1024;
/** What has been done should be known to have been done, also when the database is away just then. */
const FINISH_PATIENCE_MILLISECONDS = 30_000;
/**
 * An attempt waits out a short outage. Given back at once it would be claimed again at once, where claims pass and
 * effects do not (a full disk), until its run has had all the attempts it may have.
 */
const BEGIN_PATIENCE_MILLISECONDS = 30_000;

export interface KeptEffectsOptions {
  readonly store: EffectStore;
  readonly runId: string;
  readonly attempt: number;
  readonly flowId: string;
  readonly signal: AbortSignal;
  readonly logger: Logger;
}

/** What one attempt at a durable run does outside of it: an intent is written down before, and the result after. */
export class KeptEffects implements RunEffects {
  readonly #options: KeptEffectsOptions;
  readonly #prefix: string;
  readonly #counts = new Map<string, number>();

  constructor(options: KeptEffectsOptions, prefix = '') {
    this.#options = options;
    this.#prefix = prefix;
  }

  /** The effects of a flow that runs as a part of this run; no other part has its name. */
  ofPart(name: string): KeptEffects {
    return new KeptEffects(this.#options, `${name}/`);
  }

  async once(vertexId: string, name: string, act: () => Promise<PythonValue>): Promise<PythonValue> {
    const place = this.#place(this.#prefix + vertexId, name);
    const { store, attempt, flowId } = this.#options;
    const begun = await this.#patiently(BEGIN_PATIENCE_MILLISECONDS, () => store.begin(place, attempt));
    if (begun.state === 'done') return parsePythonJson(begun.result);
    if (begun.state === 'fenced') throw new RunError('internal', 'Another attempt has the run.');
    if (begun.state === 'unfinished' && (await this.#failsUnfinished(flowId))) {
      throw new ComponentError(
        'An earlier attempt may have done this already, and it is not to be done twice.',
      );
    }
    const result = await act();
    await this.#finish(place, jsonDumpsCompactAscii(result));
    return result;
  }

  #place(vertexId: string, name: string): EffectPlace {
    const key = JSON.stringify([vertexId, name]);
    const ordinal = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, ordinal);
    return { runId: this.#options.runId, vertexId, name, ordinal };
  }

  #failsUnfinished(flowId: string): Promise<boolean> {
    const { store } = this.#options;
    return this.#patiently(BEGIN_PATIENCE_MILLISECONDS, () => store.failsUnfinished(flowId));
  }

  async #finish(place: EffectPlace, result: string): Promise<void> {
    if (result.length > LARGEST_RESULT_CHARACTERS) return;
    const { store, attempt } = this.#options;
    await this.#patiently(FINISH_PATIENCE_MILLISECONDS, () => store.finish(place, attempt, result));
  }

  /** What fails around a run is no fault of the flow: the cause tells whether the attempt is given back. */
  async #patiently<Result>(patienceMilliseconds: number, work: () => Promise<Result>): Promise<Result> {
    const { logger, signal: leaving } = this.#options;
    const what = 'keeping what a run does';
    try {
      return await patientCommit({ patienceMilliseconds, logger, what, leaving }, work);
    } catch (cause) {
      throw new RunError('internal', 'The run could not keep what it does.', { cause, permanent: false });
    }
  }
}
