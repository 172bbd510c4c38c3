import type { RunEffects } from '@millrace/engine';
import type { PythonValue } from '@millrace/flow';

/** Remembers, for the runs it is given to, what was done in the ones before, as if they were attempts at one run. */
export function keptEffects(): RunEffects {
  const kept = new Map<string, PythonValue>();
  return {
    async once(vertexId, name, act) {
      const key = JSON.stringify([vertexId, name]);
      const earlier = kept.get(key);
      if (earlier !== undefined) return earlier;
      const result = await act();
      kept.set(key, result);
      return result;
    },
  };
}
