import type { RunEffects } from '@millrace/engine';
import { jsonDumpsCompactAscii, parsePythonJson } from '@millrace/python-text';

/** The effects of a run as a durable run records them: results as JSON, by vertex, name and order. */
export class EffectsOfRun {
  readonly #results = new Map<string, string>();

  /** Returns the effects for one more attempt of the run. */
  attempt(): RunEffects {
    const counts = new Map<string, number>();
    return {
      once: async (vertexId, name, act) => {
        const place = JSON.stringify([vertexId, name]);
        const ordinal = (counts.get(place) ?? 0) + 1;
        counts.set(place, ordinal);
        const key = `${place} ${ordinal}`;
        const earlier = this.#results.get(key);
        if (earlier !== undefined) return parsePythonJson(earlier);
        const result = await act();
        this.#results.set(key, jsonDumpsCompactAscii(result));
        return result;
      },
      findStep: async (place, name) => {
        const earlier = this.#results.get(JSON.stringify([place, 'step', name]));
        return earlier === undefined ? undefined : parsePythonJson(earlier);
      },
      recordStep: async (place, name, result) =>
        void this.#results.set(JSON.stringify([place, 'step', name]), jsonDumpsCompactAscii(result)),
    };
  }
}
