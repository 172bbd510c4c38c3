import type { ObservedRun } from '@millrace/engine';
import { SecretMask } from './secret-mask';

/** The first run is the outermost one. More than these are parts, of which most have ended. */
const MAXIMUM_RUNS = 50;

/** The run and its parts that an attempt consists of: what each of them must not show. */
export class RecordedRuns {
  readonly #runs = new Set<ObservedRun>();
  readonly #secrets = new Set<string>();

  /** Adds the run of a vertex that begins. */
  add(run: ObservedRun): void {
    if (this.#runs.has(run)) return;
    if (this.#runs.size >= MAXIMUM_RUNS) this.#release();
    this.#runs.add(run);
  }

  /** Returns the mask of the secrets that all runs have found so far. */
  mask(): SecretMask {
    for (const run of this.#runs) this.#collect(run);
    return new SecretMask(this.#secrets);
  }

  /** Keeps the secrets of the oldest part in place of the part. */
  #release(): void {
    const [, oldest] = this.#runs;
    if (oldest === undefined) return;
    this.#collect(oldest);
    this.#runs.delete(oldest);
  }

  #collect(run: ObservedRun): void {
    for (const secret of run.secrets()) this.#secrets.add(secret);
  }
}
